"""Check that a claim places things before, during or after the event that its quotes name, and names no other event."""

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from knowledge.validation.anchors import events_in
from knowledge.validation.cases import nearest_sentence, words_of
from knowledge.validation.dates import find_moments
from knowledge.validation.denials import denies
from knowledge.validation.lexicon import compile_by_start
from knowledge.validation.readings import read_once
from knowledge.validation.words import content_words, is_chinese, normalise

Relation = Literal["before", "after", "during"]

_ENGLISH = compile_by_start(
    r"(?P<not>\bnot\s)?\b(?:(?P<before>before|until|till|prior\sto)|(?P<during>during|while|throughout)"
    r"|(?P<after>after|once|since|(?<!the\s)(?<!your\s)(?<!our\s)(?<!their\s)(?<!its\s)(?<!next\s)following|upon|as\ssoon\sas|when|at\sthe\stime(?:\sof)?|on(?=\s(?:arrival|delivery|receipt|dispatch|shipment|order))))"
    r"\s(?P<what>[^,.;]{2,60}?)(?=\s(?:and|or|but|if|will|can|may|must|to|before|after|until)\b|[,.;]|$)"
)
_HAN = re.compile(
    r"(?P<what_han>[\u4e00-\u9fff\d]{1,12}?)(?:(?P<before_han>(?:之|以)?前(?![述款往台]))|(?P<during_han>期间|期内|过程中)|(?P<after_han>(?:之|以)后|后(?![续台果])|(?:之日|当日)?起(?![诉算飞点初草码始诉源到因])|之日))"
)
# What is not so until an event is so after it.
_NOT_UNTIL = re.compile(
    r"(?:n't|\b(?:not|never|no|nothing|only))\b[^,.;]*\b(?:until|till)$|\b(?:can't|cannot|won't|(?:can|will|may|must|shall)\snot)\b[^,.;]*\bbefore$"
)
# Anything may begin.
_VAGUE: Final = frozenset(
    {
        "begin",
        "accept",
        "appeal",
        "birth",
        "check in",
        "death",
        "downgrade",
        "fault",
        "freeze",
        "inactive",
        "open",
        "refund",
        "top up",
        "upgrade",
        "win",
    }
)
# To wait until it is too late, and to end what never does.
_WAITS: Final = compile_by_start(
    r"等[^,。;]{2,24}?(?:之后|以后|真的)[^。;]{0,16}?才|\bonly\s(?:after|once)\s[^,.;]*?\b(?:actually|really)\b|\bonly\s(?:after|once)\b"
)
_AT_ONCE: Final = compile_by_start(
    r"\bimmediate(?:ly)?\b|\b(?:right|straight)\saway\b|\bat\sonce\b|\binstantly\b|立即|立刻|马上|即刻|即时"
)
_WAITS_FOR: Final = re.compile(
    r"等到?(?P<what_han>[^,。;]{2,24}?)(?:之?后)?[,，]?(?:才|再)|\b(?:only\s(?:after|once|when)|(?:not|n't)\s(?:[a-z]+\s){0,6}?until)\s(?P<what>[^,.;]{4,60})"
)
_MAY_HAPPEN: Final = re.compile(
    r"可能|提前|\b(?:may|might|could)\s(?:be\s|have\s)?(?:happen|occur|reach|exceed)|\b(?:suspect\w*|in\sadvance|likely\sto)\b"
)
_ONLY_UNTIL: Final = compile_by_start(
    r"\bonly\s(?:until|before|up\sto|within)\b|只能在[^,。;]{1,16}[前内]|(?:之?[前内])(?:才|方可)"
)
_ANY_TIME: Final = re.compile(r"\b(?:at\sany\s(?:time|point)|any\s?time|whenever)\b|随时|任何时候")
_ENDS: Final = re.compile(r"\b(?:until|before|within|up\sto)\b|[前内]")
_SIGHT: Final = 48
_FIGURES = re.compile(r"[\d零〇一二两三四五六七八九十百]+(?:个|天|日|周|月|年|小时|分钟|工作日)*")
_SAME: Final = 0.6
_OPPOSITE: dict[Relation, frozenset[Relation]] = {
    "before": frozenset({"after", "during"}),
    "after": frozenset({"before"}),
    "during": frozenset({"before"}),
}


class Occasion(NamedTuple):
    """An event that a text places something before, during or after."""

    relation: Relation
    what: str
    words: frozenset[str]
    events: frozenset[str]
    is_denied: bool


def find_other_occasions(claim: str, quotes: tuple[str, ...]) -> Iterator[str]:
    """Yield the occasions of a claim that its quotes look at from the other side, or that they do not speak of."""
    said, text = normalise(claim), "\n".join(map(normalise, quotes))
    if waits := _waits_beyond(said, text):
        yield waits
    mine = read_occasions(said)
    if not mine or said in text:
        return
    theirs = tuple(each for each in read_occasions(text) if not each.is_denied)
    for occasion in mine:
        same = [other for other in theirs if _is_same(occasion, other)]
        if same:
            turned = all(other.relation in _OPPOSITE[occasion.relation] for other in same)
            if turned and denies(said) == denies(text):
                yield occasion.what
        elif _is_strange(occasion, theirs, text):
            yield occasion.what


def _waits_beyond(said: str, text: str) -> str | None:
    """Give what a claim waits for, or lets end, where its quotes act on what may happen, at once, or at any time."""
    if not _AT_ONCE.search(said) and (waited := _WAITS_FOR.search(said)) and _acts_at_once(said, waited, text):
        return waited.group()
    waits = _WAITS.search(said)
    if waits is not None and _MAY_HAPPEN.search(text) and not _MAY_HAPPEN.search(said):
        return waits.group()
    ends = _ONLY_UNTIL.search(said)
    return ends.group() if ends is not None and _ANY_TIME.search(text) and not _ENDS.search(text) else None


def _acts_at_once(said: str, waited: re.Match[str], text: str) -> bool:
    """Tell whether the sentence nearest to a claim acts at once and knows nothing of what the claim waits for."""
    nearest = nearest_sentence(words_of(said), (text,))
    if not _AT_ONCE.search(nearest) or is_chinese(said) != is_chinese(nearest):
        return False
    wanted = words_of(waited.group("what") or waited.group("what_han"))
    return len(wanted & words_of(nearest)) < _SAME * len(wanted)


def _is_strange(occasion: Occasion, theirs: tuple[Occasion, ...], text: str) -> bool:
    """Tell whether a claim names an event that its quotes name nowhere, while they name others."""
    spoken = _ENGLISH.sub(lambda found: " " if found.group("not") else found.group(), text)
    named = occasion.events - _VAGUE
    return (
        bool(named)
        and any(other.events and other.relation == occasion.relation for other in theirs)
        and not named & events_in(spoken)
    )


def _is_same(one: Occasion, other: Occasion) -> bool:
    shared = one.words & other.words
    return len(shared) >= _SAME * max(min(len(one.words), len(other.words)), 1) and bool(shared)


@read_once
def read_occasions(text: str) -> tuple[Occasion, ...]:
    """List the occasions that a text in normal form names."""
    return tuple(_occasions(text))


def _occasions(text: str) -> Iterator[Occasion]:
    for pattern in (_ENGLISH,) if text.isascii() else (_ENGLISH, _HAN):
        for found in pattern.finditer(text):
            groups = {name.removesuffix("_han"): value for name, value in found.groupdict().items() if value}
            what = groups["what"]
            relation: Relation = "before" if "before" in groups else "during" if "during" in groups else "after"
            words = content_words(_FIGURES.sub(" ", what))
            said = f"{text[max(0, found.start() - _SIGHT) : found.start()]}{groups.get('before', '')}"
            if relation == "before" and _NOT_UNTIL.search(said):
                relation = "after"
            if words and not find_moments(what):
                yield Occasion(relation, what, words, events_in(what), "not" in groups)
