"""Split a question into the parts that each need an answer: "能退吗，运费谁承担？" asks two things.

The split is conservative: both sides must ask something by themselves. A part that only makes sense after the one
before ("按年的呢？"), or after the questions of the conversation, is searched together with them.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from knowledge.answering.folding import HAN
from knowledge.answering.follow_ups import chain_of, leans
from knowledge.answering.lead_ins import without_lead_in

MOST_PARTS = 4
_LONGEST_EARLIER = 500


@dataclass(frozen=True, slots=True)
class QuestionPart:
    """One thing the customer asks: `text` as typed, `searched` with what is needed to understand it.

    `leans_on` are the questions before it, of the conversation or in the same breath, that it was read together with.
    """

    text: str
    searched: str
    leans_on: tuple[str, ...] = ()


_SENTENCE = re.compile(r"[^。！？!?；;\n]+?(?:[。！？!?；;\n]+|\.(?=\s)|$)")
_ASKS_ZH = re.compile(
    r"吗|么[？?，,]?$|呢|谁|哪|什么|怎么|怎样|如何|为何|为啥|是否|几天|几个|几次|几点|几年|几月|多少|多久|多长|多大|多远|多高|多快"
    r"|(?:能|可以|会|要|是|有|行|好|给|管|支持|需要)[^，,。不]{0,8}不$|[了到好]没(?:有)?$"
    r"|能不能|可不可以|可否|能否|要不要|会不会|是不是|有没有|该不该|算不算|行不行|好不好"
)
_WH = r"who|whom|whose|what|when|where|which|why|how"
_AUXILIARY = r"can|could|do|does|did|is|are|was|were|will|would|may|should|shall|must|am|has|have"
_SUBJECT = r"i|we|you|he|she|it|they|there|this|that|these|those|the|a|an|my|our|your|their|any|anyone|someone"
_OPENS_EN = rf"(?:(?:{_WH})\b|(?:{_AUXILIARY})\s+(?:{_SUBJECT})\b)"
_ASKS_EN = re.compile(rf"(?:^|[,:;]\s*)(?:and|or|but|so|also|then|please)?\s*{_OPENS_EN}", re.IGNORECASE)
_CUT_ZH = re.compile(r"[，,、](?:那么?|另外|还有|以及|并且|而且)?")
_CUT_EN = re.compile(rf"(?:\s*[,;]\s*(?:and|also|or)?|\s+and(?:\s+also)?)\s+(?={_OPENS_EN})", re.IGNORECASE)

_HAN = re.compile(f"[{HAN}]")


def split_question(question: str, *, earlier: tuple[str, ...] = ()) -> tuple[QuestionPart, ...]:
    """Split a question; a follow-up leans on the questions of the conversation before it, in their order.

    Shapes: in the order asked, at most four, never empty; one part holding the whole question when nothing splits.
    """
    whole = question.strip()
    setting, asked = _sentences(whole)
    texts = [part for sentence in asked for part in _cut(sentence)]
    if len(texts) <= 1 or len(texts) > MOST_PARTS:
        return (_part(whole, earlier),)
    # What sets the scene in the question itself leaves nothing to be read from the conversation.
    before = () if setting else earlier
    return tuple(_part(text, (*before, *texts[:place]), setting=setting) for place, text in enumerate(texts))


def led_up(earlier: Sequence[str], parts: Iterable[QuestionPart]) -> tuple[str, ...]:
    """Give the questions of the conversation that parts lean on, each once, in their order and cut to a bound.

    Shapes: at most three for a part, as a chain holds; the first 500 characters of each.
    """
    leaned = {question for part in parts for question in part.leans_on}
    return tuple(dict.fromkeys(question[:_LONGEST_EARLIER] for question in earlier if question in leaned))


def _sentences(whole: str) -> tuple[str, list[str]]:
    """Part the sentences that only set the scene from those that ask."""
    sentences = [match.group().strip() for match in _SENTENCE.finditer(whole) if match.group().strip()]
    asked = [sentence for sentence in sentences if asks_something(sentence)]
    return " ".join(sentence for sentence in sentences if sentence not in asked), asked


def asks_something(clause: str) -> bool:
    """Tell whether a clause asks by its words, whatever mark it ends with."""
    return bool(_ASKS_ZH.search(clause) if _HAN.search(clause) else _ASKS_EN.search(clause.strip()))


def _cut(sentence: str) -> list[str]:
    """Cut one sentence where both sides ask; the clauses before the first question stay with it."""
    cut = _CUT_ZH if _HAN.search(sentence) else _CUT_EN
    parts: list[str] = []
    start = 0
    for place in cut.finditer(sentence):
        if asks_something(sentence[start : place.start()]) and asks_something(sentence[place.end() :]):
            parts.append(sentence[start : place.start()].strip())
            start = place.end()
    return [*parts, sentence[start:].strip()]


def _part(text: str, before: tuple[str, ...], *, setting: str = "") -> QuestionPart:
    chain = chain_of(before) if before and leans(text) else ()
    asked = without_lead_in(text)
    read = (setting, *chain, asked) if setting else (*chain, asked)
    return QuestionPart(text, " ".join(read), chain)
