"""Check that a claim lets the same party pay, decide and act as its quotes do."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from knowledge.validation.cases import Case, best, read_cases, weigh
from knowledge.validation.lexicon import compile_by_start
from knowledge.validation.open_acts import find_open_acts
from knowledge.validation.party_acts import OPEN_ACT, Role, Roles, read_roles
from knowledge.validation.party_names import COMPANY, COUNTERPART, GENERAL, SAME, UNNAMED, may_be
from knowledge.validation.qualifiers import find_other_house, find_other_qualifier
from knowledge.validation.readings import read_once
from knowledge.validation.rejected import find_rejected
from knowledge.validation.subjects import find_other_subject
from knowledge.validation.words import content_words, normalise

_CLEAR: Final = 0.15
_TELLING: Final = 1.0
_PRONOUN = compile_by_start(r"\b(?:we|us|ours?|ourself|yours?|you)\b|[您你]|我们|本店|本公司")


_THE_OTHER = re.compile(
    r"\bthe\s(?:user|customer)(?:'s\s|\s(?:will|must|has|have|is|may|can|does|needs|wants|should)\b)|\bfor\sthe\s(?:user|customer)\b"
)
_OF_US = re.compile(r"\b(?:we|us|ours?|ourself)\b")
_READER = re.compile(r"\byour?\b")

_AGENT = compile_by_start(r"(?<!不)由$|(?<!not\s)\bby\s(?:the\s|our\s|an?\s)?$")
_READERS: Final = frozenset({"you", "your", "yours", "您", "你", "你们"})
_COMPANY: Final = "the company"
_NEAR: Final = 12
_FALLS_DUE = re.compile(r"\b(?:fees?|differences?|surcharges?|deposits?)\b|差[价额]|手续费|押金")
_SAME_PERSON = re.compile(r"作为|\bas\s(?:the|an?)\b")
_ADDRESSED = frozenset({"buyer", "both", "department", "defendant", "plaintiff"})
_ONLY = re.compile(r"\bonly\s(?:the\s)?$|(?:只有|仅)$")


@dataclass(frozen=True, slots=True)
class PartySwap:
    """A party that a claim names and its quotes do not put there."""

    party: str
    act: str | None


def find_swaps(claim: str, quotes: tuple[str, ...]) -> Iterator[PartySwap]:
    """Yield the parties of a claim that its quotes do not name, or that do what the quotes let another party do."""
    said, text = _normal(claim), "\n".join(map(_normal, quotes))
    if said in text:
        return
    text = _speak_for_staff(text)
    claimed, quoted = read_roles(said), read_roles(text)
    if "both" in quoted.parties and "both" not in claimed.parties:
        only = [each.party for each in claimed.subjects if _ONLY.search(said, 0, each.start)]
        yield from (PartySwap(party, "be the only one") for party in only)
    for party in sorted(claimed.parties - quoted.mentioned - UNNAMED):
        if quoted.parties and not _stands_for_another(party, claimed, quoted):
            yield PartySwap(party, None)
    yield from _swapped(claimed, quoted, said, text)
    yield from _swapped_in_open_acts(claimed, quoted, said, text)
    yield from (PartySwap(other, None) for other in find_other_qualifier(said, text))
    yield from (PartySwap(other, None) for other in find_other_house(claim, quotes))
    yield from _done_by_another(claimed, quoted, said, text)
    rejected = find_rejected(said, text)
    if rejected is not None:
        yield PartySwap(rejected, "be ruled out")
    subject = find_other_subject(said, text) if claimed.subjects and quoted.subjects else None
    if subject is not None:
        yield PartySwap(subject, "do it")


def _speak_for_staff(text: str) -> str:
    """Let instructions to the staff, which tell "you" what to do for "the user", speak of "us"."""
    if _THE_OTHER.search(text) is None or _OF_US.search(text) is not None:
        return text
    return _READER.sub(lambda found: "our" if found.group() == "your" else "we", text)


def _done_by_another(claimed: Roles, quoted: Roles, said: str, text: str) -> Iterator[PartySwap]:
    """Compare who stands behind 由 and "by", whichever words name the act."""
    mine, theirs = _agents(said, claimed), _agents(text, quoted)
    if len(mine) == 1 and len(theirs) == 1 and not any(may_be(one, other) for one in mine for other in theirs):
        yield from (PartySwap(party, "act") for party in mine)


def _agents(text: str, roles: Roles) -> frozenset[str]:
    return frozenset(
        each.party for each in roles.subjects if _AGENT.search(text, max(0, each.start - _NEAR), each.start)
    )


def _swapped_in_open_acts(claimed: Roles, quoted: Roles, said: str, text: str) -> Iterator[PartySwap]:
    """Compare who does what no list knows, in the words that claim and quotes share."""
    stems = frozenset(find_open_acts(said, claimed, text)) if quoted.parties else frozenset[str]()
    if stems:
        mine, theirs = read_roles(said, stems), read_roles(text, stems)
        yield from _swapped(_only_open(mine), _only_open(theirs), said, text)


def _only_open(roles: Roles) -> Roles:
    return roles._replace(roles=tuple(role for role in roles.roles if role.act.startswith(OPEN_ACT)))


def _stands_for_another(party: str, claimed: Roles, quoted: Roles) -> bool:
    """Tell whether a claim calls by another name whom the quotes name by a general one, or only as the other side."""
    spare = quoted.parties - claimed.parties
    if party in COUNTERPART:
        return COUNTERPART[party] not in quoted.parties
    return (
        (
            "seller" in spare
            and (party == "platform" or may_be(party, "seller"))
            and any(map(GENERAL.search, quoted.names))
        )
        or any(frozenset({party, each}) in SAME for each in quoted.parties)
        or (may_be(party, "buyer") and not _READERS.isdisjoint(quoted.names) and "buyer" in spare)
    )


def is_left_to_another(claim: str, quotes: tuple[str, ...]) -> bool:
    """Tell whether one side says that a party need not do what the other side lets another party do."""
    said, text = _normal(claim), "\n".join(map(_normal, quotes))
    claimed, quoted = read_roles(said), read_roles(text)
    if not any(role.act.startswith("not ") for role in (*claimed.roles, *quoted.roles)):
        return False
    pairs = [
        (role, rival)
        for role in claimed.roles
        for rival in quoted.roles
        if role.act in (f"not {rival.act}", rival.act.removeprefix("not ")) and role.act != rival.act
    ]
    if not pairs or any("both" in (role.party, rival.party) or "&" in role.party for role, rival in pairs):
        return False
    mine, theirs = read_cases(said), read_cases(text)
    return any(_is_nearer_to_another(role, pairs, mine, theirs) for role, _ in pairs)


def _is_nearer_to_another(
    role: Role, pairs: list[tuple[Role, Role]], mine: tuple[Case, ...], theirs: tuple[Case, ...]
) -> bool:
    shares = weigh(next(case for case in mine if case.end >= role.at), theirs, signed=True)
    rivals = [rival for each, rival in pairs if each == role]
    same = tuple(rival for rival in rivals if may_be(role.party, rival.party))
    other = tuple(rival for rival in rivals if not may_be(role.party, rival.party))
    return bool(other) and (
        not same
        or best(shares, theirs, lambda case: _holds(case, other))
        > best(shares, theirs, lambda case: _holds(case, same))
    )


def read_parties(text: str) -> frozenset[str]:
    """List the parties that a text in normal form names."""
    return frozenset("seller" if party == "house" else party for party in read_roles(text).parties)


@read_once
def _normal(text: str) -> str:
    return normalise(COMPANY.sub("ourself", text))


def _swapped(claimed: Roles, quoted: Roles, said: str, text: str) -> Iterator[PartySwap]:
    acts = {role.act for role in quoted.roles}
    apart = (
        frozenset[str]() if _PRONOUN.search(text) else quoted.parties,
        # A claim that names two businesses means neither by the other, but for "the company", which points back.
        frozenset[str]() if _SAME_PERSON.search(said) else claimed.parties - _ADDRESSED - _pointing_back(claimed),
    )
    for each in claimed.roles:
        if " > " in each.act and _agrees(each, quoted):
            done = each.act.split(" > ")[0]
            acts -= {done, f"{done} to"}
    for act in dict.fromkeys(role.act for role in claimed.roles if role.act in acts and not role.is_implied):
        agents = [role for role in claimed.roles if role.act == act and not role.is_implied]
        rivals = tuple(role for role in quoted.roles if role.act == act)
        if all(may_be(role.party, rival.party, *apart) for role in agents for rival in rivals):
            continue
        mine, theirs = read_cases(said), read_cases(text)
        names = frozenset[str]().union(*(content_words(name) for name in (*claimed.names, *quoted.names)))
        if all(_is_swapped(role, rivals, (mine, theirs), names, apart) for role in agents):
            yield PartySwap(", ".join(sorted({role.party for role in agents})), act)


def _pointing_back(roles: Roles) -> frozenset[str]:
    return frozenset({"seller"} if _COMPANY in roles.names else ())


def _agrees(role: Role, quoted: Roles) -> bool:
    return any(rival.act == role.act and may_be(role.party, rival.party) for rival in quoted.roles)


def _is_swapped(
    role: Role,
    rivals: tuple[Role, ...],
    cases: tuple[tuple[Case, ...], tuple[Case, ...]],
    names: frozenset[str],
    apart: tuple[frozenset[str], frozenset[str]],
) -> bool:
    """Tell whether the case that a claim is about lets another party do it, and no nearer one lets the same."""
    mine, theirs = cases
    here = next(case for case in mine if case.end >= role.at)
    shares = weigh(here, theirs, leave_out=names, signed=True)
    same = tuple(rival for rival in rivals if may_be(role.party, rival.party, *apart))
    other = tuple(rival for rival in rivals if not may_be(role.party, rival.party, *apart))
    if not same:
        if any(not rival.is_implied for rival in other):
            return True
        return best(shares, theirs, lambda case: _holds(case, other)) >= max(_beside(shares, theirs, other), _TELLING)
    agreeing = best(shares, theirs, lambda case: _holds(case, same))
    return best(shares, theirs, lambda case: _holds(case, other) and not _holds(case, same)) >= max(
        agreeing + _CLEAR, _TELLING
    )


def _beside(shares: tuple[float, ...], cases: tuple[Case, ...], free: tuple[Role, ...]) -> float:
    """Give how near the other cases are, where one may let something fall due: else what is free is free beside all."""
    if not any(_FALLS_DUE.search(case.text) for case in cases):
        return 0.0
    return best(shares, cases, lambda case: not _holds(case, free)) + _CLEAR


def _holds(case: Case, roles: tuple[Role, ...]) -> bool:
    return any(case.start <= role.at < case.end for role in roles)
