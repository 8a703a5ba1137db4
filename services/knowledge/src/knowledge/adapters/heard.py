"""What has arrived of a reply that is read as a whole, and what the call is billed by."""

from dataclasses import dataclass

from knowledge.adapters.openai_pieces import Piece, Tokens
from knowledge.adapters.prices import cost_of, estimated_tokens
from knowledge.answering.draft import Usage
from knowledge.answering.prompting import Prompt
from knowledge.settings import ModelPrice


@dataclass(slots=True)
class Heard:
    """A reply as far as it came."""

    text: str = ""
    finish_reason: str | None = None
    tokens: Tokens | None = None

    def take(self, piece: Piece) -> None:
        """Add a piece."""
        self.text += piece.text
        self.finish_reason = piece.finish_reason or self.finish_reason
        self.tokens = piece.tokens or self.tokens

    def usage(self, model: str, prompt: Prompt, price: ModelPrice | None) -> Usage:
        """Price the call; what the endpoint does not count is estimated."""
        sent = prompt.instructions + prompt.document
        tokens = self.tokens or Tokens(estimated_tokens(sent), estimated_tokens(self.text))
        return Usage(
            model=model,
            input_tokens=tokens.input,
            output_tokens=tokens.output,
            finish_reason=self.finish_reason,
            prompt_version=None,
            cost=cost_of(tokens, price),
        )
