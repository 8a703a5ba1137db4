"""Find the sentences of which a claim is an edited copy: there every single change counts."""

from functools import lru_cache
from itertools import pairwise

from knowledge.validation.stances import Piece, is_light, read_pieces
from knowledge.validation.words import normal_sentences

# From this share of common neighbours on, a claim is an edited copy of a sentence.
_COPY = 0.75


@lru_cache(maxsize=512)
def copied_sentences(claim: str, quotes: tuple[str, ...]) -> tuple[str, ...]:
    """List the sentences of the quotes that a claim in normal form repeats with small changes, in normal form."""
    return tuple(sentence for quote in quotes for sentence in normal_sentences(quote) if is_copy(claim, sentence))


def is_copy(claim: str, sentence: str) -> bool:
    """Tell whether a claim keeps three quarters of its neighbouring words from a sentence."""
    known = set(pairwise(_content(read_pieces(sentence))))
    pairs = tuple(pairwise(_content(read_pieces(claim))))
    return bool(pairs) and sum(pair in known for pair in pairs) >= _COPY * len(pairs)


def _content(pieces: tuple[Piece, ...]) -> tuple[str, ...]:
    return tuple(piece.key for piece in pieces if piece.stance is None and not is_light(piece))
