"""Asks whether chosen sentences can answer a question at all: a passage on the topic is not yet an answer.

These signals are cheap and only ever take evidence away. A question that wants a time, an amount, a percentage or an
address needs a sentence that holds one; a name the question turns on has to be in the passage, its heading or title.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from knowledge.answering.choosing import Chosen
from knowledge.answering.folding import HAN, fold
from knowledge.answering.quantities import UnitKind, quantities

_TIME: Final[frozenset[UnitKind]] = frozenset({"day", "working day", "hour", "minute", "week", "month", "year"})


@dataclass(frozen=True, slots=True)
class _Want:
    """A kind of fact a question may ask for, and how to see that a text holds one."""

    name: str
    asked: re.Pattern[str]
    held: Callable[[str], bool]


def missing_signal(question: str, chosen: Chosen) -> str | None:
    """Name what the chosen sentences lack for this question, or None when they may answer it."""
    asked, said = fold(question), fold(chosen.text)
    for want in _WANTS:
        if want.asked.search(asked):
            return None if want.held(said) else want.name
    return None


def _holds_time(text: str) -> bool:
    return any(quantity.kind in _TIME for quantity in quantities(text)) or _TIME_WORDS.search(text) is not None


def _holds_amount(text: str) -> bool:
    return any(quantity.kind in ("money", "percent", "points") for quantity in quantities(text)) or (
        _AMOUNT_WORDS.search(text) is not None
    )


def _holds_number(text: str) -> bool:
    return _NUMBER.search(text) is not None


def _holds_place(text: str) -> bool:
    return _PLACE.search(text) is not None


def _holds_clock(text: str) -> bool:
    return _CLOCK.search(text) is not None


_TIME_WORDS = re.compile(
    r"当[天日]|即时|立即|立刻|马上|随时|永久|长期|终身|次日|当月|次月|月底|年底|期满|到期|届满|期限|之前|以前|之后|以后|\d{4}[-年]|\d+月|\d+号"
    r"|\bimmediate|\bat once\b|\banytime\b|\bat any time\b|\bforever\b|\bnever\b|\binstant|\bsame day\b|\bnext day\b"
    r"|\bday\b|\bweek\b|\bmonth|\byear\b|\banniversary\b|\bpromptly\b|\bright away\b|\buntil\b|\bonce\b|\bafter\b|\bwhen\b"
)
_AMOUNT_WORDS = re.compile(
    r"免费|不收|免收|不另收|包邮|原价|全额|\d[\d,.]*\s?元|\bfree\b|\bno (?:charge|fee|cost)\b|\bfull\b"
)
_NUMBER = re.compile(
    r"\d|[一二两三四五六七八九十百千半]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|once|twice|no limit|unlimited)\b"
)
_PLACE = re.compile(
    r"[\w.+-]+@[\w-]+\.|https?:|www\.|\b\d{3,4}-\d{3,}|\b1\d{10}\b|\b\d{5,}\b|地址|省|[区路街]\S{0,6}\d+号|邮箱|页面|设置|点击"
    r"|\b(?:email|address|page|form|contact|settings|write|mail|link|street|click)\b|\{\{"
)
_CLOCK = re.compile(r"\d{1,2}[:：点时]\d{0,2}|\b\d{1,2}\s?(?:am|pm|a\.m|p\.m)|24\s?小时|24/7|全天")

_WANTS: Final = (
    _Want("clock time", re.compile(r"几点|\bwhat time\b|\bopening hours\b"), _holds_clock),
    _Want(
        "time",
        re.compile(
            r"多久|多长时间|几天|几日|几年|几个月|几小时|几周|多少天|多少日|多少年|多少个?(?:工作日|小时|月)|什么时候|何时|哪天|有效期"
            r"|\bhow (?:long|soon|fast|quickly|early|late|often)\b|\bhow many (?:\w+ )?(?:days|hours|weeks|months|years|minutes)\b"
            r"|\bby when\b|\bsince when\b|^when\b|[,.] when (?:do|does|will|is|are|can)\b|\bhow much time\b"
        ),
        _holds_time,
    ),
    _Want(
        "amount",
        re.compile(
            r"多少钱|多少元|多少费|几块|几元|多少手续费|手续费多少|运费多少|费用是?多少|价格是?多少|多少运费"
            r"|\bhow much (?:is|are|does|do|will|would|did)\b.*\b(?:cost|pay|charge|price|fee|insurance|it|shipping)\b|\bwhat(?:'s| is| are) the (?:price|cost|fee)"
            r"|\bhow much (?:is|are)\b|\bcost per\b|\bwhat .{0,40}\bfee\b"
        ),
        _holds_amount,
    ),
    _Want(
        "number",
        re.compile(
            r"几[个位次张件名人条]|多少[个位次张件名人条]|最多|最少|至少|\bhow many\b|\bmaximum\b|\bminimum\b|\bthe most\b"
        ),
        _holds_number,
    ),
    _Want(
        "place",
        re.compile(
            r"哪个地址|什么地址|寄到哪|寄往哪|电话是?多少|电话号码|\bwhat address\b|\bwhich address\b|\bphone number\b|\bwhere do i (?:write|send|mail)\b"
        ),
        _holds_place,
    ),
)
_HAN_ANY = re.compile(f"[{HAN}]")
