"""Reads a short follow-up from the conversation: "那跨境呢？" means little without the questions before it.

A question leans on earlier ones when it opens like one ("那…呢", "and for…"), points at something that it does not name
itself ("it", "这种情况"), or holds too little to be searched. Whatever names its own subject stands alone: read together
with another question it would find that one's policies.
"""

import re
from collections.abc import Sequence
from typing import Final

from knowledge.answering.folding import HAN, fold

# The question that stands alone, and the follow-ups between it and this one: the last two say what is asked now.
_MOST_FOLLOW_UPS: Final = 2

_HAN: Final = re.compile(f"[{HAN}]")
_CLAUSE: Final = re.compile(
    r"[。！？!?；;，,：:\n]|\.(?=\s|$)|\s+(?=(?:can|could|do|does|is|are|will|would|may) (?:i|you|we|it|they)\b)"
    r"|\s+(?=(?:when|if|after|because|once|while|before)\b)"
)

_OPENS_ZH: Final = re.compile(
    rf"^(?:那么?(?![个些种边里儿次样])|还有|另外|换成|如果换成|要是换成|至于)[^{HAN}]*(?:[{HAN}][^{HAN}]*){{1,10}}$"
    rf"|^[^{HAN}]*(?:[{HAN}][^{HAN}]*){{1,8}}呢$|^从哪天|^什么时候开始"
)
_POINTS_ZH: Final = re.compile(
    r"[这那](?:个(?!人[信资数账]|月|周|星期|礼拜|季|网站|平台|店|公司|软件|app|页面|账[户号])|些|种|样|款|件|项|笔|单(?!位)|次|(?=[是要能可会有也算]))|[它]们?|上面|上述|刚才|刚刚|前者|后者"
    r"|也(?:一样|是吗|算吗|适用|是这|同样)|同样的?(?:规定|规则|政策|条件)"
)
# What remains of a question without these names its subject.
_LITTLE_ZH: Final = re.compile(
    r"能不能|可不可以|是不是|有没有|要不要|会不会|行不行|好不好|什么时候|多长时间|为什么|请问|你们|我们|多少钱?|多久|多长|哪里|哪些|什么|怎么样?|怎样|如何|是否|可以|需要"
    r"|[几哪][个天日年月次种家]?|[吗呢么啊吧谁能要会该是有的了还那这就都也很太我您你它到得在给把被让]"
)
_FEWEST_ZH: Final = 2
# A clause before that names so much is what a later one points at.
_NAMED_ZH: Final = 3
_SHORT_ZH: Final = 3

_OPENS_EN: Final = re.compile(r"^(?:and|or|but|so|also|plus|what about|how about|what if)\b.{0,60}$")
_EXPECTS: Final = (
    r"takes?|costs?|possible|ok|okay|allowed|true|necessary|required|safe|legal|important|easy|better|too late"
)
_IT_EN: Final = re.compile(
    rf"\b(?:it|its|them|they|their|theirs|the same)\b(?! (?:is |was |be |me |us |you |generally |usually |normally |still )*(?:{_EXPECTS})\b.{{0,80}} (?:to|if|that|for|when|before|until)\b)"
)
_DEICTIC: Final = (
    r"(?:week|month|year|time|company|shop|store|site|website|app|service|page|business|platform|kind of|sort of)\b"
)
_THAT_EN: Final = re.compile(
    r"(?:^|\b(?:is|are|was|were|does|do|did|can|could|will|would|should|for|about|of|in|on|with|from|after|before|by|like|than"
    r"|if|without|during|under|get|return|cancel|mean|means|change|use|pay|apply to|applies to) )"
    rf"(?:that|this|these|those)\b(?! {_DEICTIC})"
)
_ONE_EN: Final = re.compile(
    r"\b(?:this|that|the other|another|which|a new|the second|the first) ones?\b|\bones?$|^then\b|\bthen$"
)
_LITTLE_WORDS: Final = (
    "a an and any are be but by can could do does did for from had has have how i if in is it its long many may me much"
    " my no not of often on or our please should so soon that the them then there they this to us was we were what when"
    " where which who whom whose why will with would you your fast far yes ok thanks"
)
_LITTLE_EN: Final = frozenset(_LITTLE_WORDS.split())
_FEW_WORDS: Final = 3
_FEWEST_EN: Final = 2
_ASKS_EN: Final = re.compile(
    r"^(?:who|whom|whose|what|when|where|which|why|how|can|could|do|does|did|is|are|will|would|may|should|must|has|have)\b"
)


def leans(question: str) -> bool:
    """Tell whether a question can only be read together with the one before it."""
    asked = fold(question).strip(" ?!.。！？,，")
    clauses = [clause.strip() for clause in _CLAUSE.split(asked) if clause.strip()]
    if not clauses:
        return False
    if _HAN.search(asked):
        return _leans_zh(asked, clauses)
    return _leans_en(asked, clauses)


def chain_of(earlier: Sequence[str]) -> tuple[str, ...]:
    """Give what a follow-up leans on: the last question that stands alone, and the follow-ups after it."""
    start = next((place for place in range(len(earlier) - 1, -1, -1) if not leans(earlier[place])), 0)
    chain = tuple(earlier[start:])
    return (*chain[:1], *chain[1:][-_MOST_FOLLOW_UPS:])


def _leans_zh(asked: str, clauses: Sequence[str]) -> bool:
    if _OPENS_ZH.search(asked):
        return True
    named = 0
    for clause in clauses:
        if named < _NAMED_ZH and _POINTS_ZH.search(clause):
            return True
        named += _content_zh(clause)
    return len(_HAN.findall(asked)) <= _SHORT_ZH or named < _FEWEST_ZH


def _leans_en(asked: str, clauses: Sequence[str]) -> bool:
    if _OPENS_EN.search(asked):
        return True
    named = 0
    for clause in clauses:
        if named < _FEWEST_EN and any(points.search(clause) for points in (_IT_EN, _THAT_EN, _ONE_EN)):
            return True
        named += _content_en(clause)
    is_whole = _ASKS_EN.search(asked) is not None and named >= _FEWEST_EN
    return not is_whole and len(asked.split()) <= _FEW_WORDS


def _content_zh(clause: str) -> int:
    rest = _LITTLE_ZH.sub(" ", clause)
    return len(_HAN.findall(rest)) + 2 * len(re.findall(r"[a-z0-9]{2,}", rest))


def _content_en(clause: str) -> int:
    return sum(word not in _LITTLE_EN for word in re.findall(r"[a-z0-9'’-]+", clause))
