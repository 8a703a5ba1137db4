"""Gives the distinct terms of a text, remembered: the sentences of a version are read with every question."""

from functools import lru_cache

from knowledge.ingestion.analyser import terms

_REMEMBERED = 16_384


@lru_cache(maxsize=_REMEMBERED)
def terms_of(text: str) -> frozenset[str]:
    """Analyse a text as the index does and keep each term once."""
    return frozenset(terms(text))
