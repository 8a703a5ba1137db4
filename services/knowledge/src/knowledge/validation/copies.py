"""Find the sentences of which a claim's sentences are edited copies: there every single change counts."""

from functools import lru_cache
from itertools import pairwise

from knowledge.validation.stances import Piece, read_pieces
from knowledge.validation.words import normal_sentences

# From this share of common neighbours on, a sentence is an edited copy of another.
_COPY = 0.75


@lru_cache(maxsize=512)
def find_copies(claim: str, quotes: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Pair each sentence of a claim with the sentences of its quotes that it repeats most closely, in normal form."""
    sentences = tuple(sentence for quote in quotes for sentence in normal_sentences(quote))
    return tuple(pair for mine in normal_sentences(claim) for pair in _closest(mine, sentences))


def _closest(mine: str, sentences: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    shares = tuple(_kept(mine, theirs) for theirs in sentences)
    best = max(shares, default=0.0)
    if best < _COPY:
        return ()
    return tuple((mine, theirs) for share, theirs in zip(shares, sentences, strict=True) if share == best)


def _kept(mine: str, theirs: str) -> float:
    """Measure the share of neighbouring words of a sentence that are neighbours in another."""
    pairs = tuple(pairwise(_content(mine)))
    known = set(pairwise(_content(theirs)))
    return sum(pair in known for pair in pairs) / len(pairs) if pairs else 0.0


@lru_cache(maxsize=2048)
def _content(sentence: str) -> tuple[str, ...]:
    return tuple(piece.key for piece in read_pieces(sentence) if _is_content(piece))


def _is_content(piece: Piece) -> bool:
    return piece.stance is None and not piece.is_light and not piece.key[0].isdigit()
