"""Tells what a question is about, and whether what would be quoted treats it, in both languages.

"Can I return a lamp?" and "lamps are sent in for repair" share a thing and not an act; how long a gift card can be extended
says nothing about extending a warranty. Which goods are meant is left to the words: a rule for all of them names none.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from knowledge.answering.acts import acts_asked_in, acts_in, widest
from knowledge.answering.choosing import Chosen
from knowledge.answering.folding import HAN, fold
from knowledge.answering.question_parts import QuestionPart
from knowledge.answering.things import things_in
from knowledge.retrieval.passage import Passage


@dataclass(frozen=True, slots=True)
class Matter:
    """What a text is about: acts, of which one of those `asked` for must stand nearest, and things."""

    asked: frozenset[str] = frozenset()
    acts: frozenset[str] = frozenset()
    things: frozenset[str] = frozenset()
    is_own: bool = False
    """Whether a question asks what the customer does."""
    ours: frozenset[str] = frozenset()
    """Acts that a text tells of the house alone, of those that mean another thing when the customer does them."""

    def __bool__(self) -> bool:
        """Tell whether it is about anything."""
        return bool(self.acts or self.things)


_HAN: Final = re.compile(f"[{HAN}]")
_SENTENCE: Final = re.compile(r"[^.。!！?？;；\n]+[.。!！?？;；\n]*")
# What only sets the case: the act that is asked about stands in the clause that asks.
_SETS_EN: Final = re.compile(
    r"\b(?:if|once|because|since|unless|until|although|though|while)\b[^,;?]*[,;]?"
    r"|(?<=\w )\b(?:when|after|before) (?:i|we|you|they|it|the|a|an|my|our|your|someone|somebody|something)\b[^,;?]*[,;]?"
    r"|^(?:when|after|before) (?:i|we|you|they|it|the|a|an|my|our|your|someone|somebody|something)\b[^,;?]*[,;]"
    r"|\b(?:that|which|who) (?:i|we|you|they|was|were|has|have|had|is|are)\b[^,;?]*[,;]?"
)
_SETS_ZH: Final = re.compile(
    r"[^,，]{0,10}?(?:之?后|以后|之?前|以前|期间|时)(?=[还就]?(?:能|可|会|要|怎|多久|多少|几|需|是))|(?:如果|要是|假如|万一|因为|由于)[^,，]*[,，]|[^,，]*(?:之?后|以后|的时候|的话|了)[,，]"
)
# Right before what is asked to be done, or wished.
_DOES_EN: Final = re.compile(r"\b(?:be|get|to|i|we|you|they|one|also|still|just|customers?) $")
_DOES_ZH: Final = re.compile(
    r"(?:能不能|可不可以|可以|[能可]否|能|是否|会|怎么|怎样|如何|需要|要|想|支持|接受|提供|帮|给)[^,，]{0,6}$"
)
_WISHES: Final = re.compile(r"\b(?:want|like|need|wish|hope|have) to (?:\w+ )?$|(?:想|要|希望)[^,，]{0,6}$")
# From what stands behind these a time is counted: "from the day after delivery" says nothing of delivering.
_COUNTS_FROM: Final = re.compile(
    r"\b(?:after|since|upon|before|from|(?:day|date|time) of)(?: (?:the|your|our|its))?(?: (?:day|date)(?: after| of)?)?(?: (?:the|your|our))? $"
)
# How long "I" have to return something says nothing of when "we" return what was repaired, or the money.
_TWO_SIDED: Final = frozenset({"return", "refund", "give back", "cancel", "close"})
_GETS: Final = r"(?:get|have|receive|claim|request|ask for) (?:(?:a|my|the|our|any|full) )*"
_OWN: Final = re.compile(rf"\bi (?:\w+ ){{0,2}}to $|\b(?:can|may|could|must|should) i (?:\w+ )?(?:{_GETS})?$")
# Whoever may send the goods back gets the money: a rule about either answers.
_MAY_GET_EN: Final = re.compile(rf"^\W*(?:can|may|could|do|will|would) (?:i|we|customers) (?:\w+ )?{_GETS}$")
_MAY_GET_ZH: Final = re.compile(r"(?:能不能|可不可以|可以|[能可]否|[能可想要]|申请)$")
_ASKS_WHEN_ZH: Final = re.compile("多久|多长|[几哪]|什么时候|何时|多少|期限")
_PAID_BACK: Final = re.compile(r"\b(?:money|amount|payment|price|sum|deposit)s? (?:is|are|will be|gets?|be) $")
_OURS: Final = re.compile(rf"\bwe (?:(?:will|can|may|also|then) )?(?:\w+(?:,| and| or) )*$|{_PAID_BACK.pattern}")
_MONEY: Final = re.compile(r"refund|reimburs|money back|repa(?:id|y)")
# "You can get a refund", "can be refunded" and "可以退款" say what the customer may do, and so what goes back.
_THEIRS: Final = re.compile(
    rf"\b(?:you|customers?|buyers?|members?)\b[^.;]*\b{_GETS}$|\b(?:can|cannot|may)(?: \w+)? be $"
    r"|(?:可以?|[不能]|支持|要求|申请)[^，,。；;]{0,8}$"
)
# "The return address" and "after the return" name an act without saying anything of it.
_ONLY_NAMED: Final = re.compile(
    r"\b(?:return|refund|exchange|delivery|cancellation|repair) (?:address|label|request|form|period|policy|window|deadline)s?\b"
    # Freight is an act of its own, whatever is sent.
    r"|\b(?:return|exchange|repair) (?=shipping|freight|postage)|(?:退货|换货|退换货?|维修)(?=运费|邮费)"
    r"|(?:退货|退款|换货|退换货?|取消|维修|配送|发货)(?:地址|申请|单|期限|时限|期|政策|原因|流程|(?:之|以)?[后前]|时)"
)
_WAY: Final = re.compile(
    r"\bhow (?:(?:do|can|should|would|could) (?:i|we|you)|to)\b|\bhow (?:\w+ ){1,2}works?\b|\b(?:steps?|procedure) (?:to|for|of)\b"
    r"|怎么(?!办|样|[计还]?算|回事|这|那|收|规定|不|才)|如何|怎样|步骤|流程"
)
_CLAUSE: Final = re.compile(r"[^,，;；:：。!！?？|\n]+")
# What happened is no rule of ours.
_PAST: Final = re.compile(r"\b(?:did|was|were|had)\b")


def matter_of(part: QuestionPart) -> Matter:
    """Read what a part is about; one that names nothing is about what it leans on."""
    return _asked(part.text) or _asked(part.searched)


def speaks_of(passage: Passage, matter: Matter) -> bool:
    """Tell whether a passage names all of a matter anywhere."""
    whole = _treated("\n".join((passage.title, *passage.heading_path, passage.text)))
    names_asked = not matter.asked or not matter.asked.isdisjoint(whole.acts)
    return names_asked and matter.acts <= whole.acts and matter.things <= whole.things


def treats(chosen: Chosen, matter: Matter) -> bool:
    """Tell whether sentences treat a matter with what stands above them.

    What is asked to be done stands in them or their own heading, unless these treat no act at all: the head of a text that
    returns and exchanges share says nothing of either.
    """
    passage = chosen.passage
    above = _treated("\n".join((passage.title, *passage.heading_path)))
    near = _treated("\n".join((*passage.heading_path[-1:], *chosen.texts)))
    if matter.is_own:
        above, near = _without_ours(above), _without_ours(near)
    if matter.asked and matter.asked.isdisjoint(near.acts or above.acts):
        return False
    return matter.acts <= near.acts | above.acts and matter.things <= near.things | above.things


def says(text: str, matter: Matter, holds: Callable[[str], bool]) -> bool:
    """Tell whether a clause names the act that is asked about and holds what is asked for, not just beside it."""
    return any(holds(clause) and _does(clause, matter) for clause in _CLAUSE.findall(fold(text)))


def says_of_another(text: str, matter: Matter, holds: Callable[[str], bool]) -> bool:
    """Tell whether what is asked for stands in clauses of other acts alone: "we replace it free of charge" prices no repair."""
    holding = [_treated(clause).acts for clause in _CLAUSE.findall(fold(text)) if holds(clause)]
    return bool(matter.asked and holding) and all(acts and matter.asked.isdisjoint(acts) for acts in holding)


def tells_how(passage: Passage, matter: Matter) -> bool:
    """Tell whether a passage stands under a heading that promises the way to do what is asked."""
    heading = fold(passage.heading_path[-1]) if passage.heading_path else ""
    return asks_how(heading) and not matter.asked.isdisjoint(_treated(heading).acts)


def asks_how(question: str) -> bool:
    """Tell whether a question asks for the way to do something."""
    return _WAY.search(fold(question)) is not None


def _does(clause: str, matter: Matter) -> bool:
    treated = _treated(_ONLY_NAMED.sub(" ", clause))
    return not matter.asked.isdisjoint((_without_ours(treated) if matter.is_own else treated).acts)


def _without_ours(matter: Matter) -> Matter:
    return replace(matter, acts=matter.acts - matter.ours)


def _asked(question: str) -> Matter:
    """Read the clause that asks: what it wants done, else all that it names. What happened is no rule of ours."""
    folded = fold(question)
    asking = "".join(each for each in _SENTENCE.findall(folded) if each.rstrip()[-1:] in "?？")
    if not asking and folded[-1:] in ".。!！":
        wished = frozenset(name for name, start in acts_asked_in(folded) if _WISHES.search(folded, 0, start))
        return Matter(wished, wished)
    if _PAST.search(asking):
        return Matter()
    asking = asking or folded
    clause = (_SETS_ZH if _HAN.search(asking) else _SETS_EN).sub(" ", asking)
    return _named_in(clause) or _named_in(asking) or _named_in(folded)


def _named_in(clause: str) -> Matter:
    does = _DOES_ZH if _HAN.search(clause) else _DOES_EN
    named = tuple(_either_way(clause, name, start) for name, start in acts_asked_in(clause))
    acts = frozenset(name for name, _ in named)
    done = frozenset(name for name, start in named if does.search(clause, 0, start))
    is_own = any(name in _TWO_SIDED and _OWN.search(clause, 0, start) for name, start in named)
    return Matter(done or acts, frozenset(map(widest, acts)), things_in(clause), is_own)


def _either_way(clause: str, name: str, start: int) -> tuple[str, int]:
    """Read whether money is given back as whether goods or money are; when it comes is asked of the money alone."""
    may_get = _MAY_GET_EN.search(clause, 0, start) or (
        _MAY_GET_ZH.search(clause, 0, start) and not _ASKS_WHEN_ZH.search(clause)
    )
    if name == "return" and _PAID_BACK.search(clause, 0, start):
        return "refund", start
    return ("give back" if name == "refund" and may_get else name), start


@lru_cache(maxsize=8_192)
def _treated(text: str) -> Matter:
    folded = fold(text)
    counted = (each for each in acts_in(folded) if not _COUNTS_FROM.search(folded, 0, each[1]))
    named = [(read, start) for name, start in counted for read in _read_as(folded, name, start)]
    acts = frozenset(name for name, _ in named)
    theirs = frozenset(name for name, start in named if not _is_ours(folded, start))
    return Matter(acts, acts, things_in(folded), ours=(acts - theirs) & _TWO_SIDED)


def _read_as(folded: str, name: str, start: int) -> tuple[str, ...]:
    """Read money that "is returned" as refunded, and goods that the customer may get refunded as returned."""
    if name == "return" and _PAID_BACK.search(folded, 0, start):
        return ("refund",)
    is_theirs = name == "refund" and _THEIRS.search(folded, 0, start) is not None
    return ("refund", "return") if is_theirs else (name,)


def _is_ours(folded: str, start: int) -> bool:
    is_money = _MONEY.match(folded, start) is not None and _THEIRS.search(folded, 0, start) is None
    return is_money or _OURS.search(folded, 0, start) is not None
