"""Find the sentences of the quotes that a claim is about."""

from functools import lru_cache

from knowledge.validation.concepts import find_things
from knowledge.validation.stances import read_stances
from knowledge.validation.words import normal_sentences, normalise

# A sentence of a quote speaks to a claim when it shares at least this part of what the closest one shares.
_CLOSE = 0.5


@lru_cache(maxsize=512)
def close_sentences(claim: str, quotes: tuple[str, ...]) -> tuple[str, ...]:
    """List the sentences of the quotes, in normal form, that share most of the acts, things and words of a claim."""
    sentences = tuple(sentence for quote in quotes for sentence in normal_sentences(quote))
    wanted = _matter(normalise(claim))
    shared = [len(wanted & _matter(sentence)) for sentence in sentences]
    floor = max(shared, default=0) * _CLOSE
    return tuple(sentence for sentence, count in zip(sentences, shared, strict=True) if count >= floor)


def _matter(text: str) -> frozenset[str]:
    return find_things(text).union(read_stances(text).stances)
