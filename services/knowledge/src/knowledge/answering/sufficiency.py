"""Asks whether chosen sentences can answer a question at all: a passage on the topic is not yet an answer.

These signals are cheap and only ever take evidence away: a question that wants a time, an amount, a number, a payer, a
phone number or an address needs a sentence that holds one.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from knowledge.answering.choosing import Chosen
from knowledge.answering.folding import fold
from knowledge.answering.quantities import UnitKind, quantities


@dataclass(frozen=True, slots=True)
class _Want:
    """A kind of fact a question may ask for, and how to see that a text holds one."""

    name: str
    asked: re.Pattern[str]
    is_held: Callable[[str], bool]
    is_measured: bool = True
    """Whether it is a time, a number or an amount, which is the same in every language."""


def missing_signal(question: str, chosen: Chosen) -> str | None:
    """Name what the chosen sentences lack for this question, or None when they may answer it."""
    want = _want_of(question)
    return None if want is None or want.is_held(fold(chosen.text)) else want.name


def holder_of(question: str) -> Callable[[str], bool] | None:
    """Give what tells a text with the kind of fact that a question asks for; None when it asks for no such kind."""
    want = _want_of(question)
    return None if want is None else lambda text: want.is_held(fold(text))


def measure_of(question: str) -> Callable[[str], bool] | None:
    """Give what tells a text with the time, number or amount that a question asks for; None when it asks for none."""
    want = _want_of(question)
    return holder_of(question) if want is not None and want.is_measured else None


def _want_of(question: str) -> _Want | None:
    asked = fold(question)
    return next((want for want in _WANTS if want.asked.search(asked)), None)


def _quantity(*kinds: UnitKind, words: str) -> Callable[[str], bool]:
    pattern = re.compile(words)
    return lambda text: pattern.search(text) is not None or any(each.kind in kinds for each in quantities(text))


def _words(expression: str) -> Callable[[str], bool]:
    pattern = re.compile(expression)
    return lambda text: pattern.search(text) is not None


_SPAN: Final = (
    r"当[天日]|即时|立即|立刻|马上|随时|永久|长期|终身|次日(?!起|开始)|当月|次月|月底|年底|\d{4}[-年]|\d月|\d[日号]|不限|不会?过期|不失效"
    r"|\bimmediate|\binstant|\bat once\b|\b(?:any ?|at any )time\b|\bforever\b|\bnever\b|\bnot expire|\b(?:same|next|every|each) (?:day|week|month|year)\b"
    r"|\bright away\b|\b(?:month|year)ly\b|\bannual|\bweekly\b|\bdaily\b|\b(?:a|one|the first|your first|first) (?:day|week|month|year)\b"
)
_MOMENT: Final = rf"{_SPAN}|[之以]?[前后]|期间|的时候|期满|届满|到期|\b(?:after|before|when|once|until|by|during|while|on the|end of)\b"
_FREE: Final = r"免费|不收|免收|不另收|包邮|原价|全额|\bfree\b|\bno (?:charge|fee|cost)\b|\b(?:full|actual) (?:price|cost|amount)\b"
_WANTS: Final = (
    _Want(
        "clock time",
        re.compile(r"几点|\bwhat time\b|\bopening hours\b"),
        _words(r"\d{1,2}[:：点时]|\b\d{1,2}\s?(?:am|pm|a\.m|p\.m)|24\s?小时|24/7|全天"),
    ),
    _Want(
        "duration",
        re.compile(
            r"多久|多长时间|期限?多长|(?:期限|时限|时效|[修质]期|保期)(?:是|有)?(?:什么|怎么(?:规定|算)的?|多少)?[吗呢吧啊哦?。.!]*$|几天|几日|几年|几个月|几小时|几周|多少天|多少日|多少年|多少个?(?:工作日|小时|月|自然日)|有效期|会?(?:过期|失效|清零)[吗么嘛不没]*[?？]*$"
            r"|\bhow (?:long|soon|fast|quickly|early|late)\b|\bhow much time\b"
            r"|\b(?:what(?:'s| is| are)|know|tell me|ask about|about) (?:the |your )?(?:\w+ ){0,3}(?:period|window|time limit|deadline|duration)s?\b"
            r"|\b(?:expiry|expiration)\b|\b(?:do|does|will) [^?]{1,30}\bexpire\b"
            r"|\bhow many (?:\w+ )?(?:days|hours|weeks|months|years|minutes)\b"
        ),
        _quantity("day", "working day", "hour", "minute", "week", "month", "year", words=_SPAN),
    ),
    _Want(
        "moment",
        re.compile(r"什么时候|何时|哪天|\bwhen (?:do|does|will|is|are|can|should|must)\b"),
        _quantity("day", "working day", "hour", "minute", "week", "month", "year", words=_MOMENT),
    ),
    _Want(
        "price",
        re.compile(
            r"多少钱|多少元|几块|几元|(?:价格|年费|月费|押金)是?多少"
            r"|\bhow much (?:is|are|does|do|will|would|did|to)\b.*\b(?:cost|pay|charged?|price|insurance|worth|it|shipping)\b"
            r"|\bhow much (?:is|are)\b|\bwhat(?:'s| is| are) the (?:price|cost)|\bcost per\b"
        ),
        _quantity("money", "points", words=_FREE),
    ),
    _Want(
        "fee",
        re.compile(
            r"多少费|多少手续费|(?:手续费|运费|费用|费率)是?多少|多少(?:运|邮|服务)费|打几折"
            r"|\bhow much (?:is|are) the .{0,20}fee|\bwhat(?:'s| is| are)? .{0,40}\bfees?\b"
        ),
        _quantity("money", "percent", "points", words=_FREE),
    ),
    _Want(
        "charge",
        re.compile(
            r"[要收]不?[要收]?(?:钱|费)[吗么嘛不]|(?:另|额外)?收费[吗么嘛不]|免费[吗么嘛不的]|[要收用][^,，。]{0,6}费[吗么嘛]"
            r"|\b(?:is|are) (?:there )?(?:a|any)\b[^?]{0,30}\b(?:fee|charge|cost)s?\b|\b(?:is|are) [^?]{0,30}\bfree\b|\bdo (?:you|they) charge\b"
        ),
        _quantity(
            "money",
            "percent",
            "points",
            words=rf"{_FREE}|费|承担|收取|支付|\b(?:charge|fee|cost|pa(?:y|id)\b|price|include)",
        ),
        is_measured=False,
    ),
    _Want(
        "weight",
        re.compile(
            r"多重|[几多][少]?(?:公斤|千克|斤|克)|\bhow heavy\b|\bhow much (?:does|do|may|can) .{0,40}\bweigh\b|\bhow many (?:kilos?|pounds|kg)\b"
        ),
        _words(
            r"\d\s?(?:公斤|千克|斤|克|磅|kg\b|g\b|kilo|gram|lbs?\b|pounds?\b)|[一二两三四五六七八九十百半]+(?:公斤|千克|斤)"
        ),
    ),
    _Want(
        "storage",
        re.compile(
            r"(?:存储|储存|云盘|网盘|邮箱|空间).{0,8}(?:多大|多少)|多少(?:空间|存储|容量|流量)|\bhow much (?:storage|space|data)\b"
        ),
        _words(r"\d\s?(?:[kmgt]i?b\b|[gmt]\b|兆|[千吉]字节)|不限|\bunlimited\b"),
    ),
    _Want(
        "number",
        re.compile(
            r"几[个位次张件名人条份]|多少[个位次张件名人条份]|最多|最少|最高|最低|至少|\bhow many\b|\bmaximum\b|\bminimum\b|\bthe most\b"
        ),
        _words(
            r"\d|[一二两三四五六七八九十百千]+(?!般|切|律|致|定|旦|些|样|起|直|方面)|半数|一半"
            r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|once|twice|unlimited|no limit)\b"
        ),
    ),
    _Want(
        "payer",
        re.compile(
            r"谁[来]?(?:出|付|承担|负担|掏|支付)|由谁|[归算]谁|谁的钱|\bwho (?:pays|covers|bears|will pay|has to pay)\b"
        ),
        _words(
            r"承担|负担|支付|付费|自付|[买卖]家|商家|免费|包邮|\b(?:pays?|paid|covers?|bears?|charge[ds]?|free|cost)\b"
        ),
        is_measured=False,
    ),
    _Want(
        "phone number",
        re.compile(r"电话(?:号码)?是?(?:多少|什么)|电话号码|热线|\b(?:phone|telephone) number\b"),
        _words(r"\d{3,4}-\d{3,}|\d{5,}|\+\d"),
        is_measured=False,
    ),
    _Want(
        "place",
        re.compile(
            r"哪个地址|什么地址|寄到哪|寄往哪|\b(?:what|which) (?:email |postal |mailing )?address\b|\bwhere (?:do|can|should) i (?:write|send|mail)\b"
            r"|\bwho (?:do|can|should) i (?:write|mail|email)\b"
        ),
        # To name an address is not to give one: "a correct return address must be told".
        _words(
            r"[\w.+-]+@[\w-]+\.|https?:|www\.|(?:地址|邮箱)\s?(?:[:：]|[为是](?!否|不))|[省市]\S{0,12}[区路街]|\{\{"
            r"|\b(?:address|email)(?: is|:)|\b(?:by|via|an) email\b|\b(?:the|this|our|a) (?:web |online |contact )?form\b|\b\d+ \w+ street\b"
        ),
        is_measured=False,
    ),
)
