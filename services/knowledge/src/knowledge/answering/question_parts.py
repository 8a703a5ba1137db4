"""Split a question into the parts that each need an answer: "能退吗，运费谁承担？" asks two things.

The split is conservative: both sides must ask something by themselves. A part that only makes sense after the one
before ("按年的呢？") is searched together with it.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

from knowledge.answering.folding import HAN

MOST_PARTS = 4


@dataclass(frozen=True, slots=True)
class QuestionPart:
    """One thing the customer asks: `text` as typed, `searched` with what is needed to understand it."""

    text: str
    searched: str


_SENTENCE = re.compile(r"[^。！？!?；;\n]+?(?:[。！？!?；;\n]+|\.(?=\s)|$)")
_ASKS_ZH = re.compile(
    r"吗|么[？?，,]?$|呢|谁|哪|什么|怎么|怎样|如何|为何|为啥|是否|几天|几个|几次|几点|几年|几月|多少|多久|多长|多大|多远|多高|多快"
    r"|能不能|可不可以|可否|能否|要不要|会不会|是不是|有没有|该不该|算不算|行不行|好不好"
)
_WH = r"who|whom|whose|what|when|where|which|why|how"
_AUXILIARY = r"can|could|do|does|did|is|are|was|were|will|would|may|should|shall|must|am|has|have"
_SUBJECT = r"i|we|you|he|she|it|they|there|this|that|these|those|the|a|an|my|our|your|their|any|anyone|someone"
_OPENS_EN = rf"(?:(?:{_WH})\b|(?:{_AUXILIARY})\s+(?:{_SUBJECT})\b)"
_ASKS_EN = re.compile(rf"(?:^|[,:;]\s*)(?:and|or|but|so|also|then|please)?\s*{_OPENS_EN}", re.IGNORECASE)
_CUT_ZH = re.compile(r"[，,、](?:那么?|另外|还有|以及|并且|而且)?")
_CUT_EN = re.compile(rf"(?:\s*[,;]\s*(?:and|also|or)?|\s+and(?:\s+also)?)\s+(?={_OPENS_EN})", re.IGNORECASE)

# "那运费呢？", "按年的呢？", "And for annual plans?": too little to be searched alone.
_LEANS_ZH = re.compile(
    rf"^(?:那么?|还有|另外)?[^{HAN}]*(?:[{HAN}][^{HAN}]*){{1,8}}呢[？?]*$|^(?:那|这|它|从哪天|什么时候开始).{{0,10}}$"
)
_LEANS_EN = re.compile(
    r"^(?:and|or|but|what about|how about)\b.{0,60}$|\b(?:it|that|them|this|those|these|then|one)\b", re.IGNORECASE
)
_FEWEST_WORDS = 3
_FEWEST_CHARACTERS = 4
_HAN = re.compile(f"[{HAN}]")


def split_question(question: str, *, earlier: tuple[str, ...] = ()) -> tuple[QuestionPart, ...]:
    """Split a question; a short follow-up leans on the last question of the conversation.

    Shapes: in the order asked, at most four, never empty; one part holding the whole question when nothing splits.
    """
    whole = question.strip()
    setting, asked = _sentences(whole)
    parts = [part for sentence in asked for part in _cut(sentence)]
    if len(parts) <= 1 or len(parts) > MOST_PARTS:
        return (QuestionPart(whole, _understood(whole, earlier[-1] if earlier else None)),)
    first = QuestionPart(parts[0], _with_setting(setting, parts[0]))
    rest = (QuestionPart(part, _with_setting(setting, _understood(part, before))) for before, part in pairwise(parts))
    return (first, *rest)


def _sentences(whole: str) -> tuple[str, list[str]]:
    """Part the sentences that only set the scene from those that ask."""
    sentences = [match.group().strip() for match in _SENTENCE.finditer(whole) if match.group().strip()]
    asked = [sentence for sentence in sentences if _asks(sentence)]
    return " ".join(sentence for sentence in sentences if sentence not in asked), asked


def _asks(clause: str) -> bool:
    return bool(_ASKS_ZH.search(clause) if _HAN.search(clause) else _ASKS_EN.search(clause.strip()))


def _cut(sentence: str) -> list[str]:
    """Cut one sentence where both sides ask; the clauses before the first question stay with it."""
    cut = _CUT_ZH if _HAN.search(sentence) else _CUT_EN
    parts: list[str] = []
    start = 0
    for place in cut.finditer(sentence):
        if _asks(sentence[start : place.start()]) and _asks(sentence[place.end() :]):
            parts.append(sentence[start : place.start()].strip())
            start = place.end()
    return [*parts, sentence[start:].strip()]


def _understood(part: str, before: str | None) -> str:
    return f"{before} {part}" if before is not None and _leans(part) else part


def _leans(part: str) -> bool:
    if _HAN.search(part):
        return len(_HAN.findall(part)) <= _FEWEST_CHARACTERS or _LEANS_ZH.search(part) is not None
    return len(part.split()) <= _FEWEST_WORDS or _LEANS_EN.search(part) is not None


def _with_setting(setting: str, part: str) -> str:
    return f"{setting} {part}" if setting else part
