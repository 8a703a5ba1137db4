"""Find the sentences of which a claim's sentences are edited copies: there every single change counts."""

from functools import lru_cache
from itertools import pairwise

from knowledge.validation.readings import read_once
from knowledge.validation.stances import read_pieces
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
    pairs, known = _neighbours(mine), frozenset(_neighbours(theirs))
    return sum([pair in known for pair in pairs]) / len(pairs) if pairs else 0.0


@read_once
def _neighbours(sentence: str) -> tuple[tuple[str, str], ...]:
    """List the pairs of neighbouring words of a sentence, figures left out."""
    pieces = read_pieces(sentence)
    words = [key for key, stance, _, _, is_light, *_ in pieces if stance is None and not is_light]
    return tuple(pairwise([word for word in words if not word[0].isdigit()]))
