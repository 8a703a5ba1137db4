"""Tells a question that names no more than an act from one with words that an answer has to carry.

"How long do I have to return something?" holds no word by which the rule is found but the act itself. Its words and their
meaning stand as near to "how long you have to pay", so that what treats the act decides, and the band of evidence does not.
A kind of goods names no more either where the policy has no rule for it: what holds for all goods holds for lamps.
"""

import re
from functools import lru_cache
from typing import Final

from knowledge.answering.acts import without_acts
from knowledge.answering.choosing import Chosen, Holds
from knowledge.answering.folding import HAN, fold
from knowledge.answering.matters import matter_of, says
from knowledge.answering.question_parts import QuestionPart
from knowledge.answering.sufficiency import holder_of

_HAN: Final = re.compile(f"[{HAN}]")
_WORD: Final = re.compile(r"[\w'-]+")
_LIGHT_WORDS_EN: Final = (
    "a an the this that these those my our your any some all it them one ones i we you us me can could may might must should"
    " shall will would do does did is are am be been have has had get got what which how when whether long soon many much"
    " time days period window limit deadline duration policy rule rules to of for in on at by after from since until within"
    " still also please there and so but or allowed possible okay ok able want wants like need what's how's something"
    " anything things thing item items goods product products article articles stuff order orders purchase purchases"
    " purchased bought buy buying received receive receiving arrival"
)
_LIGHT_EN: Final = frozenset(_LIGHT_WORDS_EN.split())
_LIGHT_ZH: Final = re.compile(
    "收到|签收|拿到|到手|购买|买|东西|商品|产品|物品|货物?|订单|之后|以后|之内|以内|多长时间|时间|期限|时限|限制|多久|多长|[几多]少?天"
    "|怎么规定|规定|政策|规则|怎么|怎样|如何|什么|是否|能不能|可不可以|可以|能够|可否|能否|请问|还|能|可|会|要|想|需要?|应该?|我们?|你们?|您"
    "|这个?|那个?|一下|有|是|的|了|吗|么|呢|吧|啊|给|在|办理?|多少|后|内|[期款钱费]"
)
_GOODS: Final = re.compile(
    r"\b(?:a|an|my|the|this|these|those) (?P<en>[a-z-]+(?: [a-z-]+)?)\s*[?.!]*$"
    rf"|^(?P<zh>[{HAN}]{{1,5}}?)(?=(?:还|也)?(?:能不能|可不可以|可以|[能可]否|能))"
)
# What is sold and is nothing to send back, and what is paid.
_NO_GOODS: Final = re.compile(
    r"subscription|plan\b|service|ticket|flight|booking|room|account|licen[cs]e|course|class\b|event|app\b|software|download|data"
    r"|money|fee|cost|price|balance|payment|shipping|year|month|week|day\b|time\b|store|shop|card|box|packag"
    "|订阅|套餐|服务|票|航班|房|账|帐|课|软件|会员|数据|费|款|钱|额|余|卡|店|月|年|天|包装|积分|券|怎|什么|多|几|谁|哪|我|你|后|前"
)
_ALL_GOODS: Final = re.compile(r"\b(?:goods|items?|products?|merchandise|articles?)\b|商品|货品|产品|物品")


@lru_cache(maxsize=1_024)
def is_bare(part: QuestionPart) -> bool:
    """Tell whether a part names an act and nothing else that an answer has to speak of but a kind of goods."""
    matter = matter_of(part)
    return bool(matter.asked) and not matter.things and not _left(_without_goods(fold(part.searched)))


def goods_in(part: QuestionPart) -> str | None:
    """Give the kind of goods that a part asks about; None where it names none."""
    goods = _goods_named(fold(part.searched))
    return goods if goods and _left(goods) else None


def speaks_of_all_goods(text: str) -> bool:
    """Tell whether a text is about goods of any kind."""
    return _ALL_GOODS.search(fold(text)) is not None


def whole_answer(part: QuestionPart) -> Holds | None:
    """Give what tells a sentence that says all that a bare part asks for of its act; None where it asks for no fact."""
    holds = holder_of(part.text)
    if holds is None or not is_bare(part):
        return None
    matter = matter_of(part)
    return lambda text: says(text, matter, holds)


def adds_to(part: QuestionPart, further: Chosen) -> bool:
    """Tell whether another passage may be quoted as well: for a bare part only what says all that is asked for."""
    answers = whole_answer(part)
    return not is_bare(part) or (answers is not None and any(map(answers, further.texts)))


def _without_goods(folded: str) -> str:
    goods = _goods_named(folded)
    return folded.replace(goods, " ") if goods else folded


def _goods_named(folded: str) -> str | None:
    found = _GOODS.search(folded)
    goods = found and (found["en"] or found["zh"])
    return goods if goods and not _NO_GOODS.search(goods) else None


def _left(folded: str) -> bool:
    """Tell whether words are left that say more than who asks for an act, when, and of what goods."""
    rest = without_acts(folded)
    if _HAN.search(folded):
        rest = _LIGHT_ZH.sub("", rest)
    return any(word not in _LIGHT_EN for word in _WORD.findall(rest))
