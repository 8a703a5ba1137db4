"""Find the sentences of which a claim is an edited copy: there every single change counts."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from knowledge.ingestion.sentences import split_sentences
from knowledge.validation.stances import Piece, is_light, read_pieces

# From this share of common neighbours on, a claim is an edited copy of a sentence.
_COPY = 0.75


@lru_cache(maxsize=512)
def copied_sentences(claim: str, quotes: tuple[str, ...]) -> tuple[str, ...]:
    """List the sentences of the quotes that a claim repeats with small changes, all in normal form."""
    return tuple(sentence for sentence in _sentences(quotes) if is_copy(claim, sentence))


def is_copy(claim: str, sentence: str) -> bool:
    """Tell whether a claim keeps three quarters of its neighbouring words from a sentence."""
    known = set(pairwise(_content(read_pieces(sentence))))
    pairs = tuple(pairwise(_content(read_pieces(claim))))
    return bool(pairs) and sum(pair in known for pair in pairs) >= _COPY * len(pairs)


def _sentences(quotes: tuple[str, ...]) -> Iterator[str]:
    for quote in quotes:
        for span in split_sentences(quote):
            yield quote[span.start : span.end]


def _content(pieces: tuple[Piece, ...]) -> tuple[str, ...]:
    return tuple(piece.key for piece in pieces if piece.stance is None and not is_light(piece))
