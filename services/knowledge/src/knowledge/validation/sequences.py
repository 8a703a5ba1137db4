"""Check that a claim puts two steps in the order of its quotes: first the inspection, then the refund."""

import re
from collections.abc import Iterator
from itertools import combinations
from typing import Final, NamedTuple

from knowledge.validation.anchors import events_in
from knowledge.validation.concepts import find_things
from knowledge.validation.dates import find_moments
from knowledge.validation.lexicon import compile_by_start
from knowledge.validation.readings import read_once
from knowledge.validation.stances import read_stances
from knowledge.validation.words import content_words, is_chinese, normalise

_STEP = r"[^,.;]{4,80}"
_HAN_STEP = r"[^,，。;；]{2,24}"
# All that comes before a last step: 注册,选择地区,然后购买.
_STEPS = r"[^.;]{4,120}"
_HAN_STEPS = r"[^。;；]{4,60}"
# "Once" before who or what does something; a thing done once is no step.
_AFTER = (
    r"(?<!even\s)(?:after|as\ssoon\sas|(?<!the\s)following|once\s(?=you|we|it|they|the|your|our|all|an?\b|this|that))"
)
# What goes on behind a comma with none of these is the step itself: "before we reply, except at weekends" has none.
_ON = r"(?!(?:and|or|but|except|barring|unless|if|including|such|which|who|so|plus|as|where|when)\b)"


def _spell(pattern: str) -> str:
    """Put the steps and what stands for "after" in their places."""
    for name, steps in (
        ("STEPS", _STEPS),
        ("STEP", _STEP),
        ("HANS", _HAN_STEPS),
        ("HAN", _HAN_STEP),
        ("AFTER", _AFTER),
        ("ON", _ON),
    ):
        pattern = pattern.replace(name, steps)
    return pattern


# Each order with a word that it cannot do without: looking for the word first spares most texts the search.
_ORDERS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (
        re.compile(word.replace("AFTER", _AFTER)),
        re.compile(_spell(pattern)),
    )
    for word, pattern in (
        (r"first,?\sand\s", r"(?P<first>STEP?)\sfirst,?\sand\s(?:only\s)?(?:then\s)?(?P<then>STEP)"),
        (r"\bfirst\b", r"\bfirst,?\s(?P<first>STEP?),?\s(?:and\s)?then\s(?P<then>STEP)"),
        (
            r"then|afterwards|after\sthat",
            r"(?P<first>STEP?),?\sand\s(?:(?:only\s)?(?:then|afterwards)|only\safter\sthat)\s(?P<then>STEP)",
        ),
        (r"\bthen\s", r"\bthen\s(?P<first>STEP?),\sand\s(?P<then>STEP)"),
        (r"first", r"(?P<first>STEP?)\sfirst\sand\s(?:then\s|only\s)?(?P<then>STEP)"),
        (
            r"within",
            r"(?P<then>STEP?)\swithin\s\w+\s(?:\w+\s)?(?:days?|hours?|weeks?|months?)\sof\s(?P<first>[a-z]+ing\sSTEP)",
        ),
        (
            r"afterwards|after\sthat|later",
            r"(?P<first>STEP?),?\sand\s(?P<then>STEP?)\s(?:afterwards|after\sthat|later)\b",
        ),
        (r"AFTER", r"(?P<then>STEP?)\s(?:only\s)?AFTER\s(?P<first>STEP)"),
        (r"AFTER", r"\bAFTER\s(?P<first>STEP?),\sON(?P<then>STEP)"),
        (r"before", r"\bbefore\s(?P<then>STEP?),\sON(?P<first>STEP)"),
        (r"before", r"(?P<first>STEP?)\sbefore\s(?P<then>STEP)"),
        (
            r"[,.;]\s(?:and\sthen|then|next|after)",
            r"(?P<first>STEPS)[,.;]\s(?:and\s)?(?:then|next|afterwards|after\sthat),?\s(?P<then>STEP)",
        ),
        (r"然后|随后|接着", r"(?P<first>HANS)[,，。;；]\s?(?:然后|随后|接着)[,，]?(?:再|才)?(?P<then>HAN)"),
        (
            r"先",
            r"先(?!前)(?P<first>HAN?)(?:[,，](?:[^,，。;；]{1,20}[,，])?[^,，。;；]{0,8}?)?(?:再|然后|后|之后|才)(?:再|才)?(?P<then>HAN)",
        ),
        (
            r"后",
            r"(?P<first>HAN?)(?:之后|以后|(?<![最售今此事税然])后(?![续台果天]))(?:的?[^,，。;；]{2,10}?内[,，]?|[,，])?(?:才|再|方可)?(?P<then>HAN)",
        ),
        (
            r"前",
            r"(?P<then>HAN?)(?:之前|以前|(?<![提目当此先])前(?![款述往台提]))[,，]?(?:必须|应当?|须|要|得|先|需)?(?:先)?(?![\d一二两三四五六七八九十半])(?P<first>HAN)",
        ),
    )
)
# What a rule takes for granted comes before what follows from it: "if we can verify it, we will e-mail you".
_CONDITIONS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(word), re.compile(_spell(pattern)))
    for word, pattern in (
        (r"\bfirst\b", r"\bneed\sto\s(?P<then>STEP?),\s(?P<first>STEP?)\sfirst\b"),
        (r"\bif\b", r"\bif\s(?![^,.;]*\bneed\sto\b)(?P<first>STEP?),\s(?:then\s)?(?P<then>STEP)"),
        (r"的[,，]", r"(?P<first>HAN)的[,，](?P<then>HAN)"),
    )
)
# A claim that only tells the second step "once" the first is done says little of the order of conditions.
_EXPLICIT = re.compile(r"先|\bfirst\b|\bbefore\b")
_DENIES = re.compile(r"n't|\b(?:not|never|no|nothing|nobody|cannot)\b|不(?!同)|[未无没]")
_MAY_ORDER = compile_by_start(r"\b(?:first|then|afterwards|later|after|once|soon|following|before|until)\b|先|后|前")

# Steps that a text lists one after the other without a word of order: an array, or what arrows lead through.
_ARRAY = re.compile(r"\[\s?\"[^\[\]]{3,400}\]")
_SENTENCE = re.compile(r"[;。；\n]|\.(?=\s|$)")
_ARROWS = ("->", "→")
_BETWEEN = re.compile(r"\",\s?\"|→|->")
_MOST_STEPS: Final = 20
# A single piece of two characters in common is chance.
_LEAST_HAN: Final = 2


class Steps(NamedTuple):
    """Two steps of a text in the order that it gives them."""

    first: frozenset[str]
    then: frozenset[str]
    said: str


def find_reversed(claim: str, quotes: tuple[str, ...]) -> str | None:
    """Give the two steps of a claim that its quotes put the other way round; None if there are none."""
    said = normalise(claim)
    if not _MAY_ORDER.search(said):
        return None
    texts = tuple(map(normalise, quotes))
    if any(said in text for text in texts):
        return None
    ours = read_steps(said)
    orders = _CONDITIONS if _EXPLICIT.search(said) else ()
    theirs = [steps for text in texts for steps in (*read_steps(text), *_read(text, orders))] if ours else []
    return next((mine.said for mine in ours if any(_is_reversed(mine, other) for other in theirs)), None)


def _is_reversed(mine: Steps, theirs: Steps) -> bool:
    first, then = mine.first - mine.then, mine.then - mine.first
    earlier, later = theirs.first - theirs.then, theirs.then - theirs.first
    turned = len(first & later), len(then & earlier)
    kept = len(first & earlier) + len(then & later)
    least = _LEAST_HAN if is_chinese(mine.said) and is_chinese(theirs.said) else 1
    return min(turned) >= least and sum(turned) > kept


@read_once
def read_steps(text: str) -> tuple[Steps, ...]:
    """List the pairs of steps that a text in normal form puts in order; what it denies, and a date, is no step."""
    return (*(_read(text, _ORDERS) if _MAY_ORDER.search(text) else ()), *_listed(text))


def _listed(text: str) -> Iterator[Steps]:
    """Yield the pairs of steps that a text lists in order: "pay" -> "park", ["pay", "park"]."""
    for found in _lists(text):
        steps = [step for step in map(_words, _BETWEEN.split(found)) if step]
        if len(steps) <= _MOST_STEPS:
            yield from (Steps(*pair, found) for pair in combinations(steps, 2))


def _lists(text: str) -> Iterator[str]:
    if '["' in text:
        yield from _ARRAY.findall(text)
    if any(arrow in text for arrow in _ARROWS):
        yield from (each for each in _SENTENCE.split(text) if any(arrow in each for arrow in _ARROWS))


def _read(text: str, orders: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]) -> Iterator[Steps]:
    for word, order in orders:
        for found in order.finditer(text) if word.search(text) else ():
            if not _DENIES.search(found.group()) and not find_moments(found.group()):
                yield Steps(_words(found.group("first")), _words(found.group("then")), found.group())


def _words(text: str) -> frozenset[str]:
    return content_words(text).union(find_things(text), events_in(text), read_stances(text).acts)
