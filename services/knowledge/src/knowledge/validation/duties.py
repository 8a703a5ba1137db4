"""Check that a claim demands nothing that its quotes merely allow, and allows nothing that they demand."""

import re
from typing import Final

from knowledge.validation.clauses import close_clauses, read_clauses
from knowledge.validation.closeness import close_sentences
from knowledge.validation.denials import first_denial
from knowledge.validation.lexicon import make_bilingual
from knowledge.validation.stances import Stance, read_pieces, read_stances
from knowledge.validation.words import normalise

_DUTIES: Final[frozenset[Stance]] = frozenset({"need_not", "must", "may"})
# "Only" and agreements to the contrary stand between a duty and a choice; so does a listed alternative.
_BETWEEN = re.compile(
    r"\bonly\b|只|仅|才|方[可能]|另有|另行|约定|\beither\b|\bor\b|或|选择|\bunless\b|\bexcept\b|除非|\boption\w*|\bchoos\w*|\bchoice\b"
)
# What one side may ask of another, the other has to do.
_NONE_NEEDED = re.compile(r"\bno\s(?:\w+\s){1,3}(?:is|are)\s(?:required|needed|necessary)\b")
_CLAIMED = re.compile(
    r"(?:有权|可以?)[^,;。]{0,16}(?:要求|请求|主张)|\b(?:may|can|entitled\sto)\s(?:\w+\s)?(?:demand|claim|require)\b"
)
_LIFTS = re.compile(r"除|例外|免|\b(?:except\w*|unless|exempt\w*|optional\w*|may|free)\b|可以|自愿")
# "You need not pay it yourself" says who pays.
_YOURSELF = re.compile(r"自[己行掏]|\b(?:your|them|it)sel(?:f|ves)\b")
_OPTIONAL = make_bilingual(
    r"\boptional\w*|\bvoluntar\w*|\bup\sto\s(?:you|them|it)\s(?:whether|if|to)\b|\bchoose\swhether\b|\bwhether\s(?:or\snot\s)?to\b|\bdo\swithout\b|\bas\s(?:\w+\s){1,3}likes?\b"
    r"|\bif\s(?:you|they|it)\s(?:wish|like|want|choose)\w*(?=[,.;]|$)|自愿|自行(?:决定|选择)|随意|酌[情定]|(?:选择|决定)是否|可以不|可不|也(?:可以|可|能)不|想不想"
)

# Nobody says so of what is left to choice, whatever the words for it are.
_STRONG = re.compile(
    r"(?<!不)(?<!非)必须|务必|有义务|\b(?:obliged|obligated|mandatory|compulsory|bound)\b|\bmust\b(?!n't|\snot)"
)
# Who may only so, must.
_ONLY_SO = re.compile(r"\bonly\s(?:if|with|when|where|after|once|upon)\b|只有|方可|才[可能]")
_DECLINES = re.compile(r"拒|\b(?:refuse|decline|reject)\b")
# Words for a choice, of which each is left to somebody: "at its discretion", "the shop's call", 退不退由商家看着办.
_CHOICE = make_bilingual(
    r"\boptional\w*|\bvoluntar\w*|\bdiscretion\w*|\bup\sto\s(?:\w+\s){1,3}(?:whether|if)\b|\bwhether\b[^.;]*\bup\sto\b|\bleft\sto\b|(?:'s|s'|\b(?:your|their|its|our|his|her))\s(?:own\s)?(?:call|choice|decision)\b|\b(?:sees?|deems?|thinks?|considers?)\s(?:it\s)?(?:fit|appropriate|proper|necessary)\b"
    r"|\bfeels?\slike\b|\bas\s(?:\w+\s){1,3}(?:likes?|pleases?|wish\w*)\b|\bat\sliberty\b|\bfree\sto\b|\b(?:choos\w+|decid\w+)\s(?:whether|if|not)\b|\bwhether\s(?:or\snot\s)?to\b|\bdo\swithout\b"
    r"|\bif\s(?:you|they|it|he|she)\s(?:so\s)?(?:wish|like|want|choose)\w*(?=[,.;]|$)"
    r"|自愿|自行(?:决定|选择)|自主(?:决定|选择)|随意|随(?=[您你他她])|任选|酌[情定]|斟酌|裁量|(?:选择|决定)是否|看着办|说了算|自己(?:决定(?!不)|选|定|拿主意)|看心情|想不想|愿不愿|乐意|愿意的话|(.)不\1[^,;。]{0,8}?,?(?:都行|都可以?|由|随|看)"
)
_DISCRETION = re.compile(r"\b(?:discretion\w*|(?:sees?|deems?)\s(?:fit|appropriate)|up\sto\syou)\b|酌|裁量")
# Where quotes leave anything open, what they demand may be something else.
_OPEN = re.compile(
    rf"{_CHOICE.whole.pattern}|\bchoice\b|\bchoose\s(?:between|whether|to|either)\b|\boption|\bwhether\b|是否|(?:可以?|有权|由[^,;。]{{1,8}})选择"
)
# What might be left undone, told of a thing and not of the rule: 可以不交的费用.
_LEFT_ASIDE = re.compile(r"(?:可以?不|不[必用需])[^,;。]{1,8}的(?=[\u4e00-\u9fff])")
# Advice is weaker than a duty, whatever it is called.
_ADVICE = make_bilingual(
    r"\b(?:recommended|advisable|advised|ideally|preferabl[ey]|preferred|encouraged|suggested)\b|\b(?:good|best)\sidea\b|\bbest\sto\b|\bbetter\s(?=to\b)|(?:\bhad|'d)\sbetter\b|\bmight\swant\sto\b|\bworth\s\w+ing\b|最好(?!的)|不妨|建议|推荐|鼓励|提倡"
)
# What a claim leaves to somebody's liking, where its quotes demand it.
_NEEDLESS = make_bilingual(
    r"\b(?:isn't|aren't|not)\s(?:compulsory|mandatory|obligatory|obliged|bound|essential|vital|indispensable)\b|\b(?:may\sor\smay\snot|(?:choose|decide)\snot\sto|no\s(?:duty|obligation))\b"
    r"|\bbut\s(?:\w+\s){0,3}(?:(?:doesn't|don't|does\snot|do\snot)\shave\sto|needn't)\b"
    r"|不是必须|[不非]是?强制|没有?[^,;。]{0,8}(?:义务|责任)|[视看]情况|自己(?:看着办|决定(?!不)|选)|可以?[^,;。]{1,6}[,也]+可以?不|不[^,;。]{1,6}也(?:行|可以)|可[^,;。]{1,3}可不|愿意的话"
)


def find_shifted_duty(claim: str, quotes: tuple[str, ...]) -> str | None:
    """Give the cue of a claim that turns a permission into a duty or a duty into a permission; None if none does."""
    said = _LEFT_ASIDE.sub("的", normalise(claim))
    mine, optional = _forces(said), _OPTIONAL.search(said)
    weak = _NEEDLESS.search(said) or _left_to(said) or (_ADVICE.search(said) if "must" not in mine else None)
    if optional is None and weak is None and not mine.keys() & _DUTIES:
        return None
    close = close_sentences(claim, quotes)
    if optional is not None and not any(map(_is_left_open, close)) and "need_not" not in _asked(claim, quotes):
        return None if any(map(_DECLINES.search, close)) else optional.group()
    if weak is not None and _is_demanded(close):
        return weak.group()
    if "need_not" in mine and "must" in _asked(claim, quotes) and _waives(said, close, quotes):
        return mine["need_not"]
    demanded = (_demanded(mine, claim, quotes) or _only_advised(said, quotes)) if "must" in mine else None
    return demanded or _allowed(mine, close, said)


def _asked(claim: str, quotes: tuple[str, ...]) -> frozenset[Stance]:
    """List the forces of the rules that a claim is about."""
    return frozenset(stance for rule in close_clauses(claim, quotes) for stance in _forces(rule))


def _left_to(said: str) -> re.Match[str] | None:
    """Find what a text leaves to somebody's choice; 不能随便 leaves nothing."""
    found = _CHOICE.search(said)
    return found if found is not None and first_denial(said[: found.start()].rpartition(",")[2]) is None else None


def _is_left_open(text: str) -> bool:
    return _OPTIONAL.search(text) is not None or _DISCRETION.search(text) is not None


def _is_demanded(close: tuple[str, ...]) -> bool:
    """Tell whether the quotes demand something and leave nothing to choice."""
    forces = {stance for sentence in close for stance in _forces(sentence)}
    return "must" in forces and not forces & {"need_not", "advised"} and not any(map(_OPEN.search, close))


def _demanded(mine: dict[Stance, str], claim: str, quotes: tuple[str, ...]) -> str | None:
    """Give the demand of a claim for what its quotes allow or leave to choice."""
    said, close, theirs = normalise(claim), close_sentences(claim, quotes), _asked(claim, quotes)
    if "must" in theirs or any(map(_CLAIMED.search, close)):
        return None
    if "need_not" in theirs and _is_shared("must", frozenset({"need_not"}), said, close):
        return mine["must"]
    if "may" in mine or any(map(_ONLY_SO.search, close)):
        return None
    if any(map(_OPTIONAL.search, close_clauses(claim, quotes))):
        return mine["must"]
    if theirs & {"may", "advised", "need_not"} and _STRONG.search(said):
        return mine["must"]
    is_allowed = theirs & {"may", "advised"} and _is_shared(
        "must", frozenset({"may", "advised", "plain"}), said, close, is_weak=mine["must"] == "要"
    )
    return mine["must"] if is_allowed else None


def _only_advised(said: str, quotes: tuple[str, ...]) -> str | None:
    """Give the demand of a clause for what its sentence of the quotes advises and nothing demands."""
    for clause in read_clauses(said):
        mine = _forces(clause.text)
        if "must" not in mine or "may" in mine or mine["must"] == "要":
            continue
        beside = {force for sentence in close_sentences(clause.text, quotes) for force in _forces(sentence)}
        if "must" not in beside and "advised" in beside:
            return mine["must"]
    return None


def _allowed(mine: dict[Stance, str], close: tuple[str, ...], said: str) -> str | None:
    """Give the permission of a claim for what its quotes demand."""
    beside = {stance for sentence in close for stance in _forces(sentence)}
    if "may" not in mine or "must" in mine or "must" not in beside or beside & {"may", "advised"}:
        return None
    if any(map(_BETWEEN.search, (said, *close))) or not _is_shared("may", frozenset({"must"}), said, close):
        return None
    return mine["may"]


def _is_shared(
    stance: Stance, other: frozenset[Stance], said: str, close: tuple[str, ...], *, is_weak: bool = False
) -> bool:
    """Tell whether anything that a claim takes a stance to is spoken of with another one by its quotes.

    Of a weak cue (要 also means "will") single characters do not tell.
    """
    theirs = tuple(read_stances(sentence).stances for sentence in close)
    return any(
        stance in taken
        and (len(key) > 1 or not is_weak)
        and any(key in each and stance not in each[key] and each[key] & other for each in theirs)
        for key, taken in read_stances(said).stances.items()
    )


def _waives(said: str, close: tuple[str, ...], quotes: tuple[str, ...]) -> bool:
    """Tell whether a claim waives for everybody what its quotes speak of, and they lift nothing themselves."""
    if _YOURSELF.search(said) or _lifted(quotes):
        return False
    waived = {key for key, taken in read_stances(said).stances.items() if "need_not" in taken}
    return not waived or any(waived & read_stances(sentence).stances.keys() for sentence in close)


def _lifted(quotes: tuple[str, ...]) -> bool:
    """Tell whether the quotes lift any duty or make an exception."""
    texts = tuple(map(normalise, quotes))
    return any("need_not" in _forces(text) or _LIFTS.search(text) or _CHOICE.search(text) for text in texts)


def _forces(text: str) -> dict[Stance, str]:
    """Give the first wording of each force of a text in normal form."""
    asked = _NONE_NEEDED.sub("not required", text) if "no" in text else text
    return {piece.stance: piece.key for piece in reversed(read_pieces(asked)) if piece.stance is not None}
