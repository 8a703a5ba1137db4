"""Follows a model's reply while it arrives, and stops as soon as nothing that may follow can save it."""

import re
from collections.abc import Callable
from typing import Final

from knowledge.answering.draft import Brief, Deviation, DeviationCode, Draft
from knowledge.answering.model_head import Head, read_head
from knowledge.answering.model_reply import count_sentences, head_only, read_beginning, read_reply, rejected

AcceptHead = Callable[[Head], bool]
"""Tells whether every handle of a head is known and every quote stands in its passage."""

# Twelve thousand characters of head, and as many of sentences as quotes may have.
_LONGEST_REPLY: Final = 24_000
# Postgres keeps neither of them, and the answer log keeps whatever was sent.
_UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")


class Listening:
    """One reply as far as it has arrived."""

    def __init__(self, brief: Brief, *, accepts: AcceptHead) -> None:
        """Begin before the first piece."""
        self._brief = brief
        self._accepts = accepts
        self._head: Head | None = None
        self._hopeless: Draft | None = None
        self._counted = 0
        self._sentences = self._begun = 0
        self.text = ""

    @property
    def is_hopeless(self) -> bool:
        """Tell whether the draft is rejected whatever follows."""
        return self._hopeless is not None

    def hear(self, piece: str) -> None:
        """Take the next piece."""
        self.text += _UNSTORABLE.sub("\ufffd", piece)
        if len(self.text) > _LONGEST_REPLY:
            self._reject(DeviationCode.REPLY_TOO_LONG, "The reply is longer than an answer may be.")
        elif self._head is None and ("}" in piece or not self.text.lstrip().startswith("{")):
            self._read_head()
        if self._head is not None and "\n" in piece:
            self._count_sentences(self._head)

    def hear_tool_call(self) -> None:
        """Take note that the model wants to call a tool, of which it has none."""
        self._reject(DeviationCode.TOOL_CALL, "There are no tools to call.")

    def draft(self, *, finish_reason: str | None) -> Draft:
        """Give what came of it."""
        if self._hopeless is not None:
            return self._hopeless
        return read_reply(self.text, brief=self._brief, finish_reason=finish_reason)

    def beginning(self) -> Draft | None:
        """Give what the draft holds so far; None unless a sentence was added since the last call."""
        if self._head is None or self._hopeless is not None or self._sentences == self._begun:
            return None
        self._begun = self._sentences
        return read_beginning(self.text, head=self._head, brief=self._brief)

    def _read_head(self) -> None:
        found = read_head(self.text)
        if isinstance(found, Deviation):
            self._hopeless = rejected(self.text, found)
        elif found is not None:
            self._head = found
            if found.refusal is None and not self._accepts(found):
                self._hopeless = head_only(self.text, found)

    def _count_sentences(self, head: Head) -> None:
        """Count the sentences that are whole, each once, and listen to no more of them than an answer may have."""
        start, end = max(self._counted, head.length), self.text.rindex("\n")
        self._counted = max(start, end)
        self._sentences += count_sentences(self.text[start:end])
        most = self._brief.bounds.statements_per_answer
        if self._sentences > most:
            self._reject(DeviationCode.TOO_MANY_STATEMENTS, f"An answer has {most} statements at most.")

    def _reject(self, code: DeviationCode, detail: str) -> None:
        quotes = self._head.quotes if self._head else ()
        self._hopeless = rejected(self.text, Deviation(code, detail), quotes=quotes)
