"""Check that a figure belongs to the same matter in a claim as in its quotes."""

import re
from collections.abc import Iterator
from fractions import Fraction

from knowledge.validation.copies import find_copies
from knowledge.validation.quantities import Quantity, find_figures
from knowledge.validation.units import PERIODS
from knowledge.validation.words import content_words, normalise, stem

_CLAUSE = re.compile(r"[^,，;；。!?！？\n]*[^,，;；。!?！？\n.](?:\.\d[^,，;；。!?！？\n.]*)*")

_COUNTED = re.compile(r"\s?([a-z]{3,})\s([a-z]{3,})")

# An amount "a month" needs a quote that counts by the month, in whichever wording.
_AMOUNT = r"(?:[$€£¥]\s?[\d,.]+|\d[\d,.]*\s?(?:%|usd|dollars?|euros?|yuan|gb|mb))(?:\s(?:usd|each))?"
_RATES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (
        english,
        re.compile(
            rf"{_AMOUNT}\s(?:an?|per|each|every)\s{english}\b|每(?:个)?{han}|按{han}|\b(?:{adverb})\b"
            rf"|\b(?:per|each|every)\s{english}\b"
        ),
    )
    for english, adverb, han in (
        ("hour", "hourly", "小时"),
        ("day", "daily", "[天日]"),
        ("week", "weekly", "周"),
        ("month", "monthly", "月"),
        ("year", "yearly|annual|annually", "年"),
    )
)
_MAY_BE_RATE = re.compile(
    r"每|按[小天日周月年]|\b(?:an?|per|each|every)\s(?:hour|day|week|month|year)|\b(?:(?:hour|dai|week|month|year)ly|annual(?:ly)?)\b"
)

# A rival clause must speak clearly more of the claim's matter than the clause that has the figure.
_LEAD = 0.3
_SPEAKS = 0.5


def find_misattached(claim: str, quotes: tuple[str, ...]) -> Iterator[str]:
    """Yield the figures of a claim that its quotes give to another matter."""
    said = normalise(claim)
    texts = tuple(normalise(quote) for quote in quotes)
    if any(said in text for text in texts):
        return
    copies = find_copies(claim, quotes)
    for mine, theirs in _closest(copies):
        if not any(_follows(_sequence(mine), _sequence(sentence)) for sentence in theirs):
            yield mine
    if not copies:
        yield from _outrivalled(said, texts)
    yield from _miscounted(said, texts)
    yield from _other_rates(said, texts)


def _closest(copies: tuple[tuple[str, str], ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for mine in dict.fromkeys(mine for mine, _ in copies):
        yield mine, tuple(theirs for other, theirs in copies if other == mine)


def _sequence(text: str) -> tuple[tuple[str, Fraction], ...]:
    return tuple((quantity.base, quantity.value) for quantity in find_figures(text).quantities if not quantity.is_loose)


def _follows(mine: tuple[tuple[str, Fraction], ...], theirs: tuple[tuple[str, Fraction], ...]) -> bool:
    """Tell whether a copy has its figures in the order of the original, some perhaps left out."""
    rest = iter(theirs)
    return all(any(_is_same(one, other) for other in rest) for one in mine)


def _is_same(one: tuple[str, Fraction], other: tuple[str, Fraction]) -> bool:
    return one[1] == other[1] and (one[0] == other[0] or "count" in (one[0], other[0]))


def _outrivalled(claim: str, quotes: tuple[str, ...]) -> Iterator[str]:
    clauses = tuple(clause for quote in quotes for clause in _clauses(quote))
    for clause in _clauses(claim):
        matter = _matter(clause)
        for quantity in find_figures(clause).quantities:
            if not matter or quantity.base in ("count", "ordinal", "immediate"):
                continue
            at_home = max((_share(matter, text) for text in clauses if _has(text, quantity)), default=None)
            rival = max((_share(matter, text) for text in clauses if _has_rival(text, quantity)), default=0.0)
            if at_home is not None and rival >= _SPEAKS and rival >= at_home + _LEAD:
                yield quantity.said


def _miscounted(claim: str, quotes: tuple[str, ...]) -> Iterator[str]:
    """Yield counts of a thing that the quotes count, and count otherwise."""
    counted = [pair for quote in quotes for pair in _counts(quote)]
    for thing, value in _counts(claim):
        theirs = {other for same, other in counted if same == thing}
        if theirs and value not in theirs:
            yield " ".join(thing)


def _counts(text: str) -> Iterator[tuple[tuple[str, ...], Fraction]]:
    for quantity in find_figures(text).quantities:
        thing = _COUNTED.match(text, quantity.end)
        if quantity.base == "count" and thing is not None:
            yield (stem(thing.group(1)), stem(thing.group(2))), quantity.value


def _other_rates(claim: str, quotes: tuple[str, ...]) -> Iterator[str]:
    """Yield the rates of a claim ("a month") whose amounts the quotes give without that rate."""
    if not _MAY_BE_RATE.search(claim):
        return
    said = {period for period, pattern in _RATES if pattern.search(claim)}
    quoted = {period for period, pattern in _RATES if any(pattern.search(quote) for quote in quotes)}
    yield from sorted(said - quoted)


def _clauses(text: str) -> tuple[str, ...]:
    return tuple(found.group() for found in _CLAUSE.finditer(text) if found.group().strip())


def _matter(clause: str) -> frozenset[str]:
    """List the words of a clause without its figures."""
    for quantity in reversed(find_figures(clause).quantities):
        clause = f"{clause[: quantity.start]} {clause[quantity.end :]}"
    return content_words(clause)


def _share(matter: frozenset[str], text: str) -> float:
    return len(matter & content_words(text)) / len(matter)


def _has(text: str, quantity: Quantity) -> bool:
    return any((other.base, other.value) == (quantity.base, quantity.value) for other in find_figures(text).quantities)


def _has_rival(text: str, quantity: Quantity) -> bool:
    family = PERIODS if quantity.base in PERIODS else frozenset({quantity.base})
    others = find_figures(text).quantities
    return not _has(text, quantity) and any(other.base in family and not other.is_loose for other in others)
