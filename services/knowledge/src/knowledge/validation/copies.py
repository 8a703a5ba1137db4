"""Find the sentences of which a claim's sentences are edited copies: there every single change counts."""

from functools import lru_cache
from itertools import pairwise

from knowledge.validation.stances import Piece, is_light, read_pieces
from knowledge.validation.words import normal_sentences

# From this share of common neighbours on, a sentence is an edited copy of another.
_COPY = 0.75


@lru_cache(maxsize=512)
def find_copies(claim: str, quotes: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Pair the sentences of a claim with those of its quotes that they repeat with small changes, in normal form."""
    return tuple(
        (mine, theirs)
        for mine in normal_sentences(claim)
        for quote in quotes
        for theirs in normal_sentences(quote)
        if _is_copy(mine, theirs)
    )


def _is_copy(mine: str, theirs: str) -> bool:
    known = set(pairwise(_content(theirs)))
    pairs = tuple(pairwise(_content(mine)))
    return bool(pairs) and sum(pair in known for pair in pairs) >= _COPY * len(pairs)


@lru_cache(maxsize=2048)
def _content(sentence: str) -> tuple[str, ...]:
    return tuple(piece.key for piece in read_pieces(sentence) if _is_content(piece))


def _is_content(piece: Piece) -> bool:
    return piece.stance is None and not is_light(piece)
