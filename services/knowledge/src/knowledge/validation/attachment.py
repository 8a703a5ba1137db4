"""Check that a figure belongs to the same matter in a claim as in its quotes."""

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from knowledge.validation.copies import find_copies
from knowledge.validation.lexicon import compile_by_start
from knowledge.validation.quantities import Quantity, find_figures
from knowledge.validation.rates import read_rates
from knowledge.validation.sharing import find_other_shares
from knowledge.validation.units import COUNT, PERCENT, read_unit
from knowledge.validation.words import normalise, stem

_COUNTED = re.compile(r"\s?([a-z]{3,})\s([a-z]{3,})")

# An amount "a month" needs a quote that counts by the month, in whichever wording.
_AMOUNT = (
    r"(?:[$€£¥]\s?[\d,.]+|\d[\d,.]*\s?(?:%|usd|dollars?|cents?|euros?|pounds?|pence|p|yuan|gb|mb))(?:\s(?:usd|each))?"
)
_RATES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (
        english,
        compile_by_start(
            rf"{_AMOUNT}(?:\s[a-z]+){{0,3}}?\s(?:an?|per|each|every)\s{english}\b|每[^,，;；。年月周季]{{0,3}}?[一1]?(?:个)?{han}|按{han}|{han}度|\b(?:{adverb})\b"
            rf"|\b(?:per|each|every)\s(?:[a-z]+\s)?{english}\b|\bof\s(?:the|each|every)\s{english}\b|\b{english}\sby\s{english}\b"
        ),
    )
    for english, adverb, han in (
        ("second", "per-second", "秒"),
        ("minute", "per-minute", "分钟"),
        ("hour", "hourly", "小时"),
        ("day", "daily", "[天日]"),
        ("week", "weekly", "周"),
        ("month", "monthly", "月"),
        ("year", "yearly|annual|annually", "年"),
    )
)
_SO_OFTEN = re.compile(r"\b(?:once|twice|times)\b|[次回]")
_MAY_BE_RATE = compile_by_start(
    r"每|按[秒分小天日周月年]|[月年]度|\b(?:an?|per|each|every|by)\s(?:second|minute|hour|day|week|month|year)|\b(?:(?:hour|dai|week|month|year)ly|annual(?:ly)?)\b"
)


_REACH = 16
_OFF, _OFF_BEHIND = (
    re.compile(r"(?:\bsaves?\s|便宜|优惠|[减降省]了?)$"),
    re.compile(r"\s(?:off|less|cheaper|discount|reduction)\b"),
)
# "Last four digits" for "first four digits", and 前三天 for 后三天.
_AT_END = compile_by_start(r"(?:(?P<first>\b(?:first|initial)\s|前)|(?P<last>\b(?:last|final)\s|[后末]))$")
_LEFT, _LEFT_BEHIND = (
    re.compile(r"(?:\bpays?\s(?:only\s)?|[付按])$"),
    re.compile(r"\sof\s(?:the|its|their|your)\s(?:\w+\s)?(?:price|fare|fee|cost)\b"),
)

# "£10 per guest": what an amount is asked for.
_PER: Final = compile_by_start(
    rf"(?P<amount>{_AMOUNT})\s(?:\w+\s){{0,2}}?(?:an?|per|(?:for\s)?(?:each|every))\s(?P<thing>[a-z]{{2,}})"
    rf"|\b(?:each|every)\s(?:\w+\s){{0,2}}?(?P<each>[a-z]{{2,}})\s(?:is|are|costs?)\s(?P<costs>{_AMOUNT})"
)
_TIMES: Final = frozenset(
    {
        "one",
        "further",
        "addit",
        "extra",
        "second",
        "minute",
        "hour",
        "day",
        "night",
        "week",
        "month",
        "quarter",
        "year",
        "time",
    }
)
_PEOPLE: Final = frozenset(
    map(
        stem,
        ("person", "people", "head", "guest", "visitor", "passenger", "traveller", "adult", "member", "participant"),
    )
)


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
    yield from _miscounted(said, texts)
    yield from _other_rates(said, texts)
    yield from _other_things(said, texts)
    yield from find_other_shares(said, texts)
    yield from _turned_shares(said, texts)
    yield from _other_ends(said, texts)


def _closest(copies: tuple[tuple[str, str], ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for mine in dict.fromkeys(mine for mine, _ in copies):
        yield mine, tuple(theirs for other, theirs in copies if other == mine)


def _sequence(text: str) -> tuple[tuple[str, Fraction], ...]:
    return tuple((quantity.base, quantity.value) for quantity in find_figures(text).quantities if not quantity.is_loose)


def _times_of(said: str) -> bool:
    return _SO_OFTEN.search(said) is not None


def _follows(mine: tuple[tuple[str, Fraction], ...], theirs: tuple[tuple[str, Fraction], ...]) -> bool:
    """Tell whether a copy has its figures in the order of the original, some perhaps left out."""
    rest = iter(theirs)
    return all(any(_is_same(one, other) for other in rest) for one in mine)


def _is_same(one: tuple[str, Fraction], other: tuple[str, Fraction]) -> bool:
    return one[1] == other[1] and (one[0] == other[0] or "count" in (one[0], other[0]))


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


def _other_things(claim: str, quotes: tuple[str, ...]) -> Iterator[str]:
    """Yield what a claim asks an amount for ("per table") where its quotes ask it for something else alone."""
    for said, amount, thing in _things(claim):
        theirs = {other for quote in quotes for _, same, other in _things(quote) if same == amount}
        if (
            theirs
            and thing not in theirs
            and not any(thing in map(stem, re.findall("[a-z]+", quote)) for quote in quotes)
        ):
            yield said


def _things(text: str) -> Iterator[tuple[str, str, str]]:
    for found in _PER.finditer(text):
        thing = stem(found["thing"] or found["each"])
        figures = find_figures(found["amount"] or found["costs"]).quantities
        if figures and thing not in _TIMES:
            yield found.group(), f"{figures[0].base} {figures[0].value}", _kind(thing)


def _kind(thing: str) -> str:
    """Name a thing so that kilo and kilogram, guest and person are the same."""
    unit = read_unit(thing)
    return "person" if thing in _PEOPLE else thing if unit == COUNT else unit.base


def _turned_shares(claim: str, quotes: tuple[str, ...]) -> Iterator[str]:
    """Yield the shares that a claim takes off where its quotes leave them to pay, or the other way round."""
    mine = tuple(_roles(claim))
    theirs = tuple(role for quote in quotes for role in _roles(quote)) if mine else ()
    for value, is_off, said in mine:
        same = {other for share, other, _ in theirs if share == value}
        if same == {not is_off}:
            yield said


def _roles(text: str) -> Iterator[tuple[Fraction, bool, str]]:
    """Yield shares with whether they are taken off, as far as the text beside them says so."""
    for share in find_figures(text).quantities:
        if share.base == PERCENT.base:
            before, after = text[max(0, share.start - _REACH) : share.start], text[share.end : share.end + _REACH]
            is_off = _OFF.search(before) is not None or _OFF_BEHIND.match(after) is not None
            if is_off or "折" in share.said or _LEFT.search(before) or _LEFT_BEHIND.match(after):
                yield share.value, is_off, share.said


def _other_ends(claim: str, quotes: tuple[str, ...]) -> Iterator[str]:
    """Yield so many at the beginning for so many at the end, or the other way round: "the last four digits"."""
    for mine in find_figures(claim).quantities:
        end = _end_of(claim, mine)
        theirs = {
            _end_of(quote, each)
            for quote in (quotes if end else ())
            for each in find_figures(quote).quantities
            if _is_same((mine.base, mine.value), (each.base, each.value))
        }
        if end and len(theirs) == 1 and not theirs & {end, None}:
            yield mine.said


def _end_of(text: str, figure: Quantity) -> str | None:
    """Tell at which end of a whole a text counts so many."""
    found = _AT_END.search(text[max(0, figure.start - _REACH) : figure.start])
    return None if found is None else found.lastgroup


def _other_turns(claim: str, quotes: tuple[str, ...]) -> Iterator[str]:
    """Yield how often a claim says something to happen where its quotes have the same number of times in another period."""
    theirs = [(rate, text[begins:ends]) for text in quotes for begins, ends, rate in read_rates(text)]
    for begins, ends, rate in read_rates(claim):
        said = claim[begins:ends]
        if theirs and all(rate != other for other, _ in theirs) and _times_of(said):
            yield said


def _other_rates(claim: str, quotes: tuple[str, ...]) -> Iterator[str]:
    """Yield the rates of a claim ("a month") whose amounts the quotes give without that rate."""
    if not _MAY_BE_RATE.search(claim):
        return
    yield from _other_turns(claim, quotes)
    said = {period for period, pattern in _RATES if pattern.search(claim)}
    quoted = {period for period, pattern in _RATES if any(pattern.search(quote) for quote in quotes)}
    if not {rate for _, _, rate in read_rates(claim)} & {rate for text in quotes for _, _, rate in read_rates(text)}:
        yield from sorted(said - quoted)
