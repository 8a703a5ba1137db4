"""Check that a claim denies or grants what the one case of the quotes that it is about denies or grants."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Final

from knowledge.validation.cases import Case, read_cases, stand_across, weigh, words_of
from knowledge.validation.denials import (
    BEYOND,
    DENYING_WORD,
    FORCED,
    HARMLESS,
    PREFIXED,
    SUPPOSED,
    WITHIN,
    find_undenied,
    find_ungranted,
    first_denial,
    says_bare,
    turns_demand,
)
from knowledge.validation.lexicon import Bilingual, compile_by_start, make_bilingual
from knowledge.validation.readings import read_once
from knowledge.validation.stances import Piece, is_negative, may_deny, may_undo, read_pieces, read_stances
from knowledge.validation.support import overlap
from knowledge.validation.words import is_chinese, normalise

_CLEAR: Final = 0.15
_TELLING: Final = 1.0
# What shares less decides nothing, whatever it says.
_LEAST: Final = _TELLING - _CLEAR
_BESIDE: Final = 0.5
# So much of a denying rule a claim tells, and so much less of every other one, before it is told plainly.
_TOLD: Final = 0.4
_LEAD: Final = 0.2
_FEWEST: Final = 2
_STEM: Final = 5
_CARRIED: Final = 0.6
# What a text describes or supposes: 没穿过的, 没有约定时, "if it was not used", "goods that were not opened".
_DESCRIBED = make_bilingual(
    r"(?:^|(?<=[,;.]))\s?(?:even\s)?(?:after|before|while)\s[^,;.\d]*(?=,)|\beven\s(?:after|before|while)\s[^,;.\d]*"
    r"|(?:^|(?<=[,;。:]))[^,;。:]*(?:的|时|的话|之?前|之?后|情况下)(?=,)|(?:没有?|未|不(?![得能会可再用需予影妨受])|无(?![法权需须论]))[^,;。]{1,12}(?<!别)(?<!其他)的(?=[\u4e00-\u9fff])|无[法权][^,;。]{1,4}的(?=那?部分|情况|情形|人)|(?!(?<![\u4e00-\u9fff])不[^的]{1,6}的[^,;。可能会应须由是也都要不需]{1,8}(?:[;。\n]|$))不[得能会可再用需予][^,;。]{1,4}(?<!别)(?<!其他)的(?=[\u4e00-\u9fff])"
    r"|(?:没有?|未|不(?!得|能|予|可|支持|会|再|需|用|必|准|允许|收|退|承担|负|享|计|适用|参与|包|含|在[^,;。]*(?:范围|之列)))[^,;。]*(?=,(?!并|且|也|但|而|同时|还|又))"
    r"|\([^)]*\)|\bas\ssoon\sas\b[^,;.]*|(?<!after\s)(?<!note\s)(?<!mind\s)(?<!aware\s)(?<!means\s)(?<!afraid\s)\b(?:that|which|who)\b(?:\s\w+){0,5}?\s(?:\w+n't|not|never)\s\w+|\bwith\sno\b[^,;.]*(?=[,;]|\s(?:can|may|will|is|are|must|shall|do|does)\b)"
)
# Beside these a case grants only part of what it speaks of, or denies without a negation.
_DEMANDS = re.compile(
    r"\b(?:must|needs?|requir\w*|ha(?:s|ve)\sto|shall|only|provided|as\slong\sas|if)\b|须|需|应当?|必须|凭|才|只有|方可|如果|的,|且"
)
_LIMITED = re.compile(
    r"\b(?:only|solely|except\w*|exclu\w+|unless|until|without|instead|rather|reject\w*|refus\w*|freez\w*|frozen|in\w+ible|void|invalid|lack\w*|fail\w*|off\sthe\stable|out\sof\sthe\squestion|ruled\sout)\b"
    r"|仅|只|除外|除了|除非|拒|才|否则|作废|失效|无效|停止|免|自理"
)
_ONLY = re.compile(
    r"\b(?:only|solely|except\w*|unless|until|without|instead|rather|otherwise)\b|仅|只|除外|除了|除非|才|否则"
)
# These stand between a denial and what it denies.
_FILLERS = frozenset(
    {
        "possibl",
        "allow",
        "permit",
        "abl",
        "entitl",
        "elig",
        "ask",
        "offer",
        "giv",
        "given",
        "再",
        "与",
        "由",
        "是",
        "跟",
        "和",
        "其",
        "予",
        "被",
        "随",
        "会",
        "给",
    }
)
# What a court does not support nobody may claim.
_UNHEARD = re.compile(r"(?:主张|请求|要求)([^,;。]{1,24}?)的,[^,;。]{0,8}不予支持")
# Chinese says so too (…不行), but of whole cases as often as of the act before it. The act begins where its clause does.
_DENIED_LAST = re.compile(
    r"(?<![^,;.])([^,;.]*?)\s(?:is|are)(?:n't|\snot)\s(?:possible|allowed|permitted|an\soption|accepted|supported|offered|available)\b(?=\s*(?:[,;.]|$))"
)
_OR = frozenset({"or", "nor", "或"})
_PARTY = re.compile(r"消费|商家|买家|卖家|顾客|客户|用户|会员|平台|[您你我]")


_LEFT_OUT = re.compile(r"不(?:包括|包含|含)[^,;。]*")


_EXCEPTS = compile_by_start(r"除外|例外|\bexcept\w*\b|\bunless\b")


_SWEEPING = re.compile(r"\s?(?:no|none|nobody)\s")


@dataclass(frozen=True, eq=False)
class _Told:
    """A case as its text tells it; what it says, grants and denies is read when it is asked for."""

    case: Case
    told: str
    """Its text without what it leaves out, describes or supposes."""
    bare: str
    """The same without negations that deny nothing."""
    whole: str
    """The cases of its text together."""

    @cached_property
    def may_turn(self) -> bool:
        """Tell at one look whether it may deny or undo anything."""
        return may_deny(self.told) or may_undo(self.told)

    @cached_property
    def denies(self) -> bool:
        """Tell whether it denies anything."""
        return first_denial(self.bare) is not None

    @cached_property
    def denied(self) -> tuple[frozenset[str], ...]:
        """Give what it denies: the words right behind its denials."""
        return tuple(_denied(_front(self.bare)))

    @cached_property
    def said(self) -> frozenset[str]:
        """Give what it says."""
        return frozenset([piece.key for piece in read_pieces(_LEFT_OUT.sub(" ", self.case.text))])

    @cached_property
    def signs(self) -> dict[str, bool]:
        """Give its acts, and whether it grants them."""
        return _signs(_front(self.told))


def _front(text: str) -> str:
    """Put a denial at the end of a clause in front of what it denies: "moving it isn't possible"."""
    return _DENIED_LAST.sub(r"cannot \1", text) if may_deny(text) else text


def find_unbalanced(claim: str, quotes: tuple[str, ...]) -> str | None:
    """Give what is denied on one side alone, in whole sentences or in the case that a claim is about; None if balanced."""
    denied = find_ungranted(claim, quotes)
    if denied is not None and not stands_beside_denial(claim, quotes):
        return denied
    denied = find_undenied(claim, quotes)
    if denied is not None and _is_said(claim, quotes):
        return denied
    return find_turned(claim, quotes) or find_told_plainly(claim, quotes)


def _is_said(claim: str, quotes: tuple[str, ...]) -> bool:
    """Tell whether the quotes speak of anything that a claim denies: of the rest they say nothing."""
    theirs = _read("\n".join(map(normalise, quotes)))
    mine = _read(normalise(claim))
    return (
        any(head <= their.said for my in mine for head in my.denied for their in theirs)
        or overlap(claim, quotes, enough=_CARRIED) >= _CARRIED
    )


def find_turned(claim: str, quotes: tuple[str, ...]) -> str | None:
    """Give what a claim denies and its case of the quotes grants, or the other way round; None for nothing."""
    said = normalise(claim)
    text = "\n".join(map(normalise, quotes))
    if first_denial(said) is None:
        text = _UNHEARD.sub(r"不得\1", text)
    if said in text or (_EXCEPTS.search(said) and _EXCEPTS.search(text)):
        return None
    bare = _without_prefix(said, text)
    if bare is not None:
        return bare
    if not (_may_deny(said) or _may_deny(text)):
        return None
    turns = turns_demand(said, quotes)
    theirs = _read(text)
    for mine in _read(said):
        signs = [None if turns and _asks(their) else _opposed(mine, their) for their in theirs]
        # What no case opposes need not be weighed.
        if not any(signs):
            continue
        shares = zip(theirs, _weigh(mine, theirs), signs, strict=True)
        opposed = [(their, share, said) for their, share, said in shares if share >= _LEAST]
        agreeing = max(
            (share for their, share, said in opposed if said is None and not stand_across(mine.case, their.case)),
            default=0.0,
        )
        share, said = max(((share, said) for _, share, said in opposed if said is not None), default=(0.0, ""))
        if share >= max(agreeing + _CLEAR, _TELLING):
            return said
    return None


def _weigh(mine: _Told, theirs: tuple[_Told, ...]) -> tuple[float, ...]:
    return weigh(mine.case, tuple(their.case for their in theirs))


def _asks(theirs: _Told) -> bool:
    """Tell whether a case asks for something and supposes no denial itself: who denies what it asks for may deny the rest."""
    return not _supposes_denial(theirs.case.text) and _DEMANDS.search(theirs.case.text) is not None


def _supposes_denial(text: str) -> bool:
    return any(first_denial(found) is not None for found in SUPPOSED.findall(text))


def find_told_plainly(claim: str, quotes: tuple[str, ...]) -> str | None:
    """Give the denying rule of the quotes that a claim tells without denying anything; None if it tells none so.

    What is told is measured by the rule, not by the claim: a longer neighbour shares more words with whatever is said.
    """
    said, text = normalise(claim), "\n".join(map(normalise, quotes))
    if said in text or first_denial(said) is not None or first_denial(text) is None:
        return None
    if any(found.group()[:_STEM] not in text for found in DENYING_WORD.finditer(said)):
        return None
    mine, theirs = read_cases(said), _read(text)
    denying = tuple(their.may_turn and their.denies and _is_flat(their.case, mine) for their in theirs)
    if not any(denying):
        return None
    words = words_of(said)
    told = tuple(_share_told(their.case, words, said) for their in theirs)
    share, rule = max((told[at], at) for at, denies in enumerate(denying) if denies)
    rest = max((each for each, denies in zip(told, denying, strict=True) if not denies), default=0.0)
    return theirs[rule].case.text.strip() if share >= max(_TOLD, rest + _LEAD) else None


def _is_flat(case: Case, mine: tuple[Case, ...]) -> bool:
    """Tell whether a denying case leaves no way round: no limit, no condition denied, no other side of a figure."""
    return not (
        _LIMITED.search(case.text) or _supposes_denial(case.text) or any(stand_across(each, case) for each in mine)
    )


def _share_told(case: Case, words: frozenset[str], said: str) -> float:
    """Give the share of the words of a case that a text in normal form has too."""
    wanted = [word for word in case.own if not word.endswith("undone")]
    told = sum(word in words or (not word.isascii() and set(word) <= set(said)) for word in wanted)
    return told / len(wanted) if told >= _FEWEST else 0.0


def _may_deny(text: str) -> bool:
    return first_denial(text) is not None or (may_undo(text) and any(piece.sign < 0 for piece in read_pieces(text)))


def _without_prefix(said: str, text: str) -> str | None:
    """Give a word of a claim that its quotes have with a denying prefix alone: "worn" for "unworn"."""
    return next((word for word in PREFIXED.findall(text) if says_bare(word, said) and not says_bare(word, text)), None)


def stands_beside_denial(claim: str, quotes: tuple[str, ...]) -> bool:
    """Tell whether each case of a claim clearly is about cases of its quotes that deny nothing."""
    theirs = _read("\n".join(map(normalise, quotes)))
    return all(_is_granted(_weigh(mine, theirs), theirs) for mine in _read(normalise(claim)))


def _is_granted(shares: tuple[float, ...], theirs: tuple[_Told, ...]) -> bool:
    free = [not their.denies and not _LIMITED.search(their.case.text) for their in theirs]
    granted = max((share for share, is_free in zip(shares, free, strict=True) if is_free), default=0.0)
    rest = max((share for share, is_free in zip(shares, free, strict=True) if not is_free), default=0.0)
    return granted >= max(rest + _BESIDE, _TELLING)


def _opposed(mine: _Told, theirs: _Told) -> str | None:
    if not (mine.may_turn or theirs.may_turn):
        return None
    act = _opposed_act(mine, theirs)
    if act is not None:
        return act
    if mine.denies == theirs.denies or (mine.denies and theirs.signs.get("act:last") is False):
        return None
    if _LIMITED.search(theirs.case.text if mine.denies else mine.case.text) or _is_across(mine, theirs):
        return None
    denied, said = (mine.denied, theirs.said) if mine.denies else (theirs.denied, mine.said)
    known = mine.signs.keys() & theirs.signs.keys()
    if is_chinese(mine.case.text) != is_chinese(theirs.case.text):
        # Plain words that two languages share are names, which tell who or where, not what is denied.
        denied = tuple(head for head in denied if any(key.startswith("act:") for key in head))
    return next((" ".join(sorted(head)) for head in denied if head <= said and not head & known), None)


def _opposed_act(mine: _Told, theirs: _Told) -> str | None:
    """Give an act that one case grants and the other denies, unless a limit stands between them."""
    granted, denied = mine.signs, theirs.signs
    acts = [act for act in granted.keys() & denied.keys() if granted[act] != denied[act]]
    if not acts or (mine.denies and theirs.denies and not _SWEEPING.match(mine.case.text)):
        return None
    for act in sorted(acts):
        limited = mine.bare if granted[act] else theirs.case.text
        if not _ONLY.search(limited) and not _is_across(mine, theirs):
            return act
    return None


def _is_across(mine: _Told, theirs: _Told) -> bool:
    """Tell whether claim and quote speak of two sides of a limit: within it and beyond it."""
    claimed, quoted = mine.whole, theirs.case.text
    if mine.case.sides & theirs.case.sides:
        return False
    return stand_across(mine.case, theirs.case) or bool(
        (BEYOND.search(claimed) and not BEYOND.search(quoted) and (mine.denies or WITHIN.search(quoted)))
        or (WITHIN.search(claimed) and not WITHIN.search(quoted) and BEYOND.search(quoted))
    )


def _signs(text: str) -> dict[str, bool]:
    return {
        act: not any(map(is_negative, taken))
        for act, taken in read_stances(text).stances.items()
        if act.startswith("act:") and not act.endswith("undone") and len({is_negative(each) for each in taken}) == 1
    }


@read_once
def _read(text: str) -> tuple[_Told, ...]:
    told = _blank(_LEFT_OUT, _blank(_DESCRIBED, _blank(SUPPOSED, _blank(FORCED, text))))
    bare = _blank(HARMLESS, told)
    cases = read_cases(text)
    whole = " ".join([case.text for case in cases])
    return tuple(_Told(case, told[case.start : case.end], bare[case.start : case.end], whole) for case in cases)


def _blank(pattern: re.Pattern[str] | Bilingual, text: str) -> str:
    return pattern.sub(lambda found: " " * len(found.group()), text)


def _last_of_phrase(pieces: Sequence[Piece]) -> list[Piece]:
    """Give the head of what "no" denies: the fee in "no change fee"."""
    phrase = list(takewhile(lambda each: each.stance is None and not each.is_light, pieces))
    return phrase[-1:]


def _denied(text: str) -> Iterator[frozenset[str]]:
    pieces = read_pieces(text)
    for at, piece in enumerate(pieces):
        if piece.stance is None or not is_negative(piece.stance):
            continue
        if piece.key in ("no", "without"):
            yield from _head(_last_of_phrase(pieces[at + 1 : at + 5]))
            continue
        yield from _head(pieces[at + 1 : at + 8])
        for other in _alternatives(pieces, at + 1):
            yield from _head(pieces[other : other + 5])


def _head(pieces: Sequence[Piece]) -> Iterator[frozenset[str]]:
    """Yield the first words that say something: what a denial right before them denies."""
    behind = [each for each in pieces if not each.is_light and each.stance is None and each.key not in _FILLERS]
    head = "".join(each.key for each in behind[:2])
    if behind and behind[0].sign > 0 and not _PARTY.match(head):
        yield frozenset(each.key for each in behind[: 1 if len(behind[0].key) > 1 else 2])


def _alternatives(pieces: Sequence[Piece], start: int) -> Iterator[int]:
    """Yield where what else is denied begins: "cannot be moved or swapped" denies both."""
    for at in range(start, len(pieces) - 1):
        key = pieces[at].key
        if key in _OR:
            yield at + 1 + (pieces[at + 1].key == "者")
        elif pieces[at].ends_clause or pieces[at].stance is not None:
            return
