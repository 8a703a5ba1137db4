"""Recognise figures that a claim tells in other terms than its quotes: what a discount leaves, an hour of the day, a rate."""

import re
from fractions import Fraction
from typing import NamedTuple

from knowledge.validation.bounds import Bound
from knowledge.validation.counting import is_counted
from knowledge.validation.denials import SUPPOSED, first_denial
from knowledge.validation.instances import is_instance
from knowledge.validation.quantities import Figures, Quantity, find_figures, is_equal, sentence_of
from knowledge.validation.rates import is_same_rate
from knowledge.validation.units import COUNT, MONEY, ORDINAL, PERCENT, PERIODS

# "First" is as often a manner of speaking as a figure, so any wording of it in a quote carries it.
_FIRST = re.compile(r"\b(?:first|1st|initial(?:ly)?|once|another|additional|further)\b|第一|首|初|再次|重新|另外?一次")
_SECOND = re.compile(r"次[日年月周]|翌|下一|\b(?:next|following|further|another)\b")
_BOTH = re.compile(r"双方|往返|来回|\bboth\b|\beither\b")
_WHOLE_SUM = re.compile(r"全额|全部|全款|足额|\b(?:full|fully|whole|entire(?:ly)?|complete(?:ly)?|all)\b")
_NOTHING = re.compile(
    r"免费|免收|不收|无需付|\bfree\b|\bno\s(?:[a-z]+\s)?(?:charge|fee|cost|interest)\b|\bwithout\s(?:charge|cost|interest)\b|无息|免息"
)
# By base and value of a figure that is told in words: what a quote may say instead.
_WORDED: dict[tuple[str, Fraction], tuple[re.Pattern[str], ...]] = {
    (ORDINAL.base, Fraction(1)): (_FIRST,),
    (ORDINAL.base, Fraction(2)): (_SECOND,),
    (COUNT.base, Fraction(2)): (_BOTH,),
    (PERCENT.base, Fraction(100)): (_WHOLE_SUM,),
    (PERCENT.base, Fraction(0)): (_NOTHING,),
    **dict.fromkeys(((base, Fraction(0)) for base in MONEY), (_NOTHING,)),
    ("person", Fraction(2)): (_BOTH,),
}
_ALL_DAY = re.compile(r"24/7|\b(?:around|round)\sthe\sclock\b|全天|昼夜")
_A_DAY = ("day", Fraction(1))
# What holds "once" something has happened holds right away.
_AT_A_TIME = re.compile(r"\bat\s(?:a|any(?:\sone)?|the\ssame|one)\stime\b|\bsimultaneous\w*|同时|同一时")
_ONCE = re.compile(
    r"\bonce\b|\bwithout\s(?:undue\s)?delay\b|\bas\ssoon\sas\b|\bupon\b|\bpromptly\b|\bforthwith\b|\bon\sthe\sspot\b|\bwith\simmediate\b|一经|一旦|当场|及时|随即"
)
_ASKED = re.compile(
    r"^(?:report|tell|call|contact|inform|notify|let|block|stop|check|keep)\b|\bplease\b|\byou\s(?:should|must|need\sto|have\sto)\b|请"
)
# What is denied outside a limit is granted inside: "after 60 days it cannot be restored", "it can for 60 days".
_OUTSIDE: dict[Bound, frozenset[Bound]] = {
    "over": frozenset({"max", "none"}),
    "after": frozenset({"max", "none"}),
    "under": frozenset({"min", "after"}),
    "before": frozenset({"min"}),
}
_INSIDE: dict[Bound, Bound] = {"min": "under", "max": "over"}
# What has not happened within a time has not happened once the time is over.
_OVER = frozenset[Bound]({"none", "after", "over", "min"})
_WAITED: dict[Bound, frozenset[Bound]] = {"max": _OVER, **dict.fromkeys(_OVER, frozenset[Bound]({"max"}))}
_PROVIDED = re.compile(r"\b(?:provided|as\slong\sas)\b[^,;.]*")
_OF_MONTH = re.compile(r"(?:每个?|当|次|下个?|本)月\s?$")
_UNTIL = re.compile(r"\b(?:until|till|before)\s$")
_NOT_YET = re.compile(r"n't\syet|\bnot\syet")
# "Once a month" needs a quote that counts by the month: the one of 一个月 is no figure of its own there.
_EVERY: dict[tuple[str, Fraction], re.Pattern[str]] = {
    ("day", Fraction(1)): re.compile(r"每[天日]|按[天日]|[当日]日|\b(?:per|each|every|a)\sday\b|\bdaily\b"),
    ("day", Fraction(7)): re.compile(r"每(?:个?星期|周)|按周|\b(?:per|each|every|a)\sweek\b|\bweekly\b"),
    ("month", Fraction(1)): re.compile(
        r"每个?月|[按包当]月|月[付费租结度]|\b(?:per|each|every|a)\s(?:calendar\s)?month\b|\bmonthly\b"
    ),
    ("month", Fraction(3)): re.compile(
        r"每个?季度?|按季|\b(?:per|each|every|a)\s(?:calendar\s)?quarter\b|\bquarterly\b"
    ),
    ("month", Fraction(12)): re.compile(
        r"每年|[按包当全]年|年[付费租结度]|\b(?:per|each|every|a)\s(?:calendar\s)?year\b|\b(?:year|annual)ly\b"
    ),
}
_ONE_UNIT = re.compile(r"(?:[一1]\s?个?|one\s|an?\s)(?:[天日周月年]|星期|季度|day|week|month|quarter|year)")
# "From the sixth on" is what "the first five" leaves.
_FIRST_SOME = re.compile(r"(?:\bfirst|前)\s?$")
_COUPLE, _TWO_OR_THREE = re.compile(r"a\scouple"), re.compile(r"[两二]三")
_ONE_TIME = re.compile(r"\bonce\b|\bfirst\b|第一次|首(?=次|个|小时|月|年|天|日|件|单)")

# A discount of 20 % leaves 80 % to pay: 八折.
_TAKEN_OFF = re.compile(r"折扣|优惠|便宜|[减降]|\b(?:off|discount\w*|reduc\w*|save[sd]?|cheaper|less)\b")
_WHOLE = Fraction(100)
_TOO_LATE = re.compile(
    r"\btoo\slate\b|\bexpir\w*|\blos(?:e|es|t)\b|\bends?\b|\bgone\b(?!\sby)|\bstops?\b|\blaps\w*|\bforfeit\w*|\brefus\w*|\breject\w*|\bdeclin\w*|拒|过期|作废|失效|清零|来不及"
)
# "You can try three times" where three tries are the most.
_ALLOWED = re.compile(r"\b(?:can|may|gets?|allowed|entitled)\b|[能可]|得到|享")
_ALLOWING = 32
_LOOSER: dict[Bound, Bound] = {"none": "max", "max": "none"}

_BEFORE_HOUR = re.compile(r"\b(?:from|to|until|till|by|at|between|and|before|after)\s$")
_AFTER_HOUR = re.compile(
    r"\s?(?:$|[,.;!]|(?:to|and|until|till|on|in\sthe\s(?:morning|afternoon|evening)|o'clock|every|daily)\b)"
)


class Told(NamedTuple):
    """A claim in normal form, its quotes in normal form and the figures they hold."""

    said: str
    texts: tuple[str, ...]
    quoted: tuple[Figures, ...]


def is_restated(claimed: Quantity, told: Told) -> bool:
    """Tell whether the quotes carry a figure in other terms."""
    said, texts, quoted = told
    return (
        _is_worded(claimed, texts)
        or _is_manner(claimed, said, quoted)
        or _is_outside(claimed, said, quoted)
        or _is_waited_for(claimed, said, quoted)
        or _is_day_of_month(claimed, said, quoted)
        or _is_next(claimed, texts)
        or _is_couple(claimed, quoted)
        or _is_remainder(claimed, said, texts)
        or _is_hour(claimed, said, quoted)
        or _is_allowance(claimed, said, quoted)
        or is_instance(claimed, said, quoted)
        or is_counted(claimed, said, texts, quoted)
        or is_same_rate(claimed.start, claimed.end, said, texts)
    )


def _is_worded(quantity: Quantity, texts: tuple[str, ...]) -> bool:
    return any(pattern.search(text) for pattern in _wordings(quantity) for text in texts)


def _is_manner(claimed: Quantity, said: str, quoted: tuple[Figures, ...]) -> bool:
    """Tell whether a customer is only asked to act "right away", where the quotes name no time that passes first."""
    if claimed.base != "immediate" or not _ASKED.search(said):
        return False
    return not PERIODS.intersection(each.base for figures in quoted for each in figures.quantities)


def _is_outside(claimed: Quantity, said: str, quoted: tuple[Figures, ...]) -> bool:
    """Tell whether a claim denies beyond a limit what the quotes grant within it."""
    granted = _OUTSIDE.get(claimed.bound, frozenset())
    if _is_outside_denied(claimed, said, quoted):
        return True
    is_limit = any(
        other.bound in granted and (other.bound != "none" or other.base in PERIODS) and is_equal(claimed, other)
        for figures in quoted
        for other in figures.quantities
    )
    bare = _NOT_YET.sub(" ", said)
    return is_limit and (first_denial(bare) is not None or _TOO_LATE.search(said) is not None)


def _is_outside_denied(claimed: Quantity, said: str, quoted: tuple[Figures, ...]) -> bool:
    """Tell whether a claim limits what the quotes deny beyond the limit: "at least ten" for "less than ten is refused"."""
    denied = _INSIDE.get(claimed.bound)
    if denied is None or first_denial(said) is not None:
        return False
    return any(
        other.bound == denied
        and is_equal(claimed, other)
        and first_denial(sentence_of(other, figures.text)) is not None
        and not _UNTIL.search(figures.text[: other.start])
        for figures in quoted
        for other in figures.quantities
    )


def _is_waited_for(claimed: Quantity, said: str, quoted: tuple[Figures, ...]) -> bool:
    """Tell whether what is supposed not to happen within a time is what has not happened after it."""
    if claimed.base not in PERIODS or not _supposes_denial(said, claimed):
        return False
    return any(
        is_equal(claimed, each)
        and each.bound in _WAITED.get(claimed.bound, frozenset())
        and _supposes_denial(sentence_of(each, figures.text))
        for figures in quoted
        for each in figures.quantities
    )


def _supposes_denial(text: str, figure: Quantity | None = None) -> bool:
    """Tell whether a text supposes that something does not happen, together with a figure if one is given."""
    return any(
        first_denial(found.group()) is not None and (figure is None or found.start() <= figure.start < found.end())
        for pattern in (SUPPOSED, _PROVIDED)
        for found in pattern.finditer(text)
    )


def _is_day_of_month(claimed: Quantity, said: str, quoted: tuple[Figures, ...]) -> bool:
    """Tell whether 每月22日 is "the 22nd of the month"."""
    if claimed.base != "day" or not _OF_MONTH.search(said[: claimed.start]):
        return False
    return any(
        each.base == ORDINAL.base and each.value == claimed.value for figures in quoted for each in figures.quantities
    )


def _is_remainder(claimed: Quantity, said: str, texts: tuple[str, ...]) -> bool:
    """Tell whether a share is what a discount leaves, or the other way round."""
    if claimed.base != PERCENT.base:
        return False
    shares = ((each, text) for text in texts for each in find_figures(text).quantities if each.base == PERCENT.base)
    return any(
        claimed.value + share.value == _WHOLE and _is_taken_off(claimed, said) != _is_taken_off(share, text)
        for share, text in shares
    )


def _is_taken_off(share: Quantity, text: str) -> bool:
    """Tell whether a share is taken off a price; what is not is left to pay, as 八折."""
    if "折" in share.said:
        return False
    return _TAKEN_OFF.search(text[max(0, share.start - _ALLOWING) : share.end + _ALLOWING]) is not None


def _is_hour(claimed: Quantity, said: str, quoted: tuple[Figures, ...]) -> bool:
    """Tell whether a number is an hour of the day ("from nine to five") that the quotes name as a time."""
    if claimed.base != COUNT.base or not (
        _BEFORE_HOUR.search(said[: claimed.start]) and _AFTER_HOUR.match(said[claimed.end :])
    ):
        return False
    clocks = (moment.parts[0] for figures in quoted for moment in figures.moments if moment.kind == "clock")
    return any(clock in (claimed.value * 60, (claimed.value + 12) * 60) for clock in clocks)


def _is_allowance(claimed: Quantity, said: str, quoted: tuple[Figures, ...]) -> bool:
    """Tell whether a claim allows as many as the quotes allow at most; what is paid "up to" a sum is no such sum."""
    if claimed.bound not in _LOOSER or claimed.base in MONEY or claimed.base == PERCENT.base:
        return False
    if not _ALLOWED.search(said[max(0, claimed.start - _ALLOWING) : claimed.start]):
        return False
    granted = _LOOSER[claimed.bound]
    return any(is_equal(claimed, each) and each.bound == granted for figures in quoted for each in figures.quantities)


def _is_next(claimed: Quantity, texts: tuple[str, ...]) -> bool:
    """Tell whether an ordinal follows right behind those for which the quotes have a rule of their own."""
    if claimed.base != ORDINAL.base:
        return False
    others = [(text, find_figures(text)) for text in texts]
    return any(_leaves(text, figures, claimed.value - 1) for text, figures in others if figures.has_other_case)


def _is_couple(claimed: Quantity, quoted: tuple[Figures, ...]) -> bool:
    """Tell whether "a couple of months" stands for 两三个月, or the other way round."""
    alike = (each for figures in quoted for each in figures.quantities if each.base == claimed.base)
    return any(
        (_COUPLE.match(claimed.said) and _TWO_OR_THREE.match(each.said))
        or (_TWO_OR_THREE.match(claimed.said) and _COUPLE.match(each.said))
        for each in alike
    )


def _leaves(text: str, figures: Figures, last: Fraction) -> bool:
    if last == 1:
        return _ONE_TIME.search(text) is not None
    return any(each.value == last and _FIRST_SOME.search(text[: each.start]) for each in figures.quantities)


def _wordings(quantity: Quantity) -> tuple[re.Pattern[str], ...]:
    """Give what a quote may say instead of a figure that is hardly one."""
    if quantity.base == "immediate":
        return (_ONCE, _AT_A_TIME) if quantity.said == "at once" else (_ONCE,)
    if (quantity.base, quantity.value) == _A_DAY and quantity.said.startswith("24"):
        return (_ALL_DAY,)
    every = _EVERY.get((quantity.base, quantity.value))
    if every is not None and quantity.bound == "none" and _ONE_UNIT.match(quantity.said):
        return (every,)
    is_worded = quantity.base in MONEY or quantity.base == PERCENT.base or not quantity.said[0].isdigit()
    return _WORDED.get((quantity.base, quantity.value), ()) if is_worded else ()
