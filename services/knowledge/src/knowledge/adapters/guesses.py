"""Guesses what was meant by words that no passage holds: in the other language, or one slip away."""

from collections.abc import Mapping, Sequence
from itertools import chain

from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.ingestion.analyser import term_id
from knowledge.retrieval import spelling
from knowledge.retrieval.glossary import known_translations
from knowledge.retrieval.store import opening, scoring


async def read_as(
    connection: AsyncConnection, view: scoring.View, terms: list[str], held: Mapping[int, int]
) -> tuple[list[str], dict[str, int]]:
    """Put translations and corrections in the place of words that no passage holds."""
    frequencies = _by_term(terms, held)
    translated = known_translations((term for term in terms if term not in frequencies), held)
    others = list(dict.fromkeys(chain.from_iterable(translated.values())))
    typed = [term for term in terms if term not in translated]
    read, frequencies = await _corrected(connection, view, typed, frequencies | _by_term(others, held))
    return list(dict.fromkeys([*read, *others])), frequencies


async def _corrected(
    connection: AsyncConnection, view: scoring.View, terms: list[str], frequencies: dict[str, int]
) -> tuple[list[str], dict[str, int]]:
    """Put the words that were probably meant in the place of those that the index does not know."""
    words = spelling.doubtful(terms, frequencies)
    if not words:
        return terms, frequencies
    near = {neighbour for word in words for neighbour in spelling.neighbours(word)}
    known = await _frequencies(connection, view, sorted(near))
    read_as = {word: spelling.meant(word, known) or word for word in words}
    return [read_as.get(term, term) for term in terms], known | frequencies


def _by_term(terms: Sequence[str], held: Mapping[int, int]) -> dict[str, int]:
    numbers = {term: term_id(term) for term in terms}
    return {term: held[number] for term, number in numbers.items() if number in held}


async def _frequencies(connection: AsyncConnection, view: scoring.View, terms: Sequence[str]) -> dict[str, int]:
    numbers = [term_id(term) for term in terms]
    held = await opening.frequencies(connection, tenant=view.tenant, version=view.version, terms=numbers)
    return _by_term(terms, held)
