"""Check that a claim lets the same party pay, decide and act as its quotes do."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from knowledge.validation.lexicon import make_lexicon
from knowledge.validation.party_names import COMPANY, PARTIES, UNNAMED, may_be
from knowledge.validation.words import normalise

# Acts where a swapped party does harm: bearing a cost or a burden, deciding, telling, giving up what is one's own.
_ACTS: tuple[tuple[str, str], ...] = (
    (
        "bear",
        r"承担|负担|自理|自付|自费|支付|付款|缴纳|交纳|出(?=运费|钱|费)|(?<=自己)出|担着|\b(?:pays?|paid|paying|bears?|covers?|cover\sthe\scost)\b",
    ),
    ("cancel", r"\bterminat(?:e|es|ed|ing)\b|\bcancel(?:s|led|ed|ling)?\b|\bends?\sthe\b|取消|终止|解除"),
    ("decide", r"决定|裁定|裁量|\bdecid\w*|\bdiscretion\b"),
    ("prove", r"举证"),
    ("compensate", r"赔偿|赔付|赔|\bcompensat(?:e|es|ed|ing)\b|\bindemnif\w*"),
    ("tell", r"通知|告知|\bnotif(?:y|ies|ied)\b|\binforms?\b|\btells?\b"),
    ("share", r"共享|披露|泄露|出售|\b(?:shares?|discloses?|sells?)\b"),
    ("delete", r"删除|\bdeletes?\b|\beras(?:e|es)\b"),
    ("install", r"安装|\binstalls?\b"),
    ("be responsible", r"负责|\bresponsible\sfor\b|\bresponsibility\b|\bliable\b|\banswers?\sfor\b"),
    ("provide", r"提供|出具|\bprovid(?:e|es)\b"),
    ("publish", r"公示|公告|公布|\bpublish(?:es)?\b"),
    ("approve", r"批准|同意|\bapprov(?:e|es)\b"),
    ("investigate", r"调查|查处|查找|查明|纠正|责令|\binvestigat(?:e|es)\b"),
    ("sign for", r"签收"),
    ("choose", r"选择|\b(?:choose|chooses|prefers?)\b"),
    ("release", r"\breleases?\b"),
    ("forward", r"转送|转达|转交|\b(?:forwards?|pass(?:es)?\son)\b"),
    ("object", r"提出异议|\bobjects?\sto\b"),
    ("end", r"\bend\sthe\b"),
)
_WHOSE = r"at\s(?:the\s)?(?:%s)(?:'s|s')?\s(?:own\s)?(?:expense|cost)\b"
_LEXICON = make_lexicon(
    (
        ("at buyer's cost", _WHOSE % "your|buyer|customer"),
        ("at seller's cost", _WHOSE % "our|seller|merchant"),
        ("at own cost", r"(?:at\s)?(?:its|their)\sown\s(?:expense|cost)\b"),
        *PARTIES,
        *((f"to {act}", pattern) for act, pattern in _ACTS),
        ("object", r"向|对|给|从|to\b|for\b|from\b|with\b|与|跟|同"),
        ("request", r"要求|请求|请|找|asks?\b|requests?\b|has\b|have\b"),
    )
)
_TOKEN = re.compile(rf"{_LEXICON.source}|(?P<stop>[.;。；!?！？\n])")
_PARTY_NAMES = frozenset(name for name, _ in PARTIES)
_ACT_NAMES = {f"to {act}": act for act, _ in _ACTS}
_AT_COST = {"at buyer's cost": "buyer", "at seller's cost": "seller"}

_NO_SUBJECT = frozenset({"us", "our", "ours", "your", "yours"})
_PASSIVE = re.compile(r"(?:\b(?:is|are|be|been|was|were|being|gets?)\s(?:\w+ly\s)?|被)$")
_BY = re.compile(r"\bby\s(?:the\s|its\s|an?\s)?$")

# A party this close behind "to" or 向 is whom the act is done to.
_NEAR = 5


@dataclass(frozen=True, slots=True)
class _Roles:
    parties: frozenset[str]
    agents: dict[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class PartySwap:
    """A party that a claim names and its quotes do not put there."""

    party: str
    act: str | None


def find_swaps(claim: str, quotes: tuple[str, ...]) -> Iterator[PartySwap]:
    """Yield the parties of a claim that its quotes do not name, or that do what the quotes let another party do."""
    claimed = _read_roles(_normal(claim))
    quoted = tuple(_read_roles(_normal(quote)) for quote in quotes)
    named = frozenset[str]().union(*(roles.parties for roles in quoted))
    for party in sorted(claimed.parties - named - UNNAMED):
        if named:
            yield PartySwap(party, None)
    for act, agents in claimed.agents.items():
        theirs = frozenset[str]().union(*(roles.agents.get(act, frozenset()) for roles in quoted))
        if theirs and not any(may_be(one, other) for one in agents for other in theirs):
            yield PartySwap(", ".join(sorted(agents)), act)


def read_parties(text: str) -> frozenset[str]:
    """List the parties that a text in normal form names."""
    return _read_roles(text).parties


def _normal(text: str) -> str:
    return normalise(COMPANY.sub("we", text))


@lru_cache(maxsize=2048)
def _read_roles(text: str) -> _Roles:
    parties: set[str] = set()
    agents: defaultdict[str, set[str]] = defaultdict(set)
    subject: str | None = None
    last_act: str | None = None
    object_until = -1
    for found in _TOKEN.finditer(text):
        name = "stop" if found.lastgroup else _LEXICON.name(found)
        if name in _PARTY_NAMES:
            parties.add(name)
            if last_act is not None and _BY.search(text, max(0, found.start() - 8), found.start()):
                agents[last_act] = {name}
            elif found.start() > object_until and not _is_possessive(text, found):
                subject = name
        elif name in _ACT_NAMES:
            last_act = _ACT_NAMES[name]
            if subject is not None and not _PASSIVE.search(text, max(0, found.start() - 20), found.start()):
                agents[last_act].add(subject)
        elif name in ("stop", "request"):
            # Whoever is asked acts next, and is named behind the asking.
            subject, last_act = None, None
        elif name == "at own cost" and subject is not None:
            agents["bear"].add(subject)
        elif name in _AT_COST:
            agents["bear"].add(_AT_COST[name])
        object_until = found.end() + _NEAR if name == "object" else -1
    return _Roles(frozenset(parties), {act: frozenset(names) for act, names in agents.items() if names})


def _is_possessive(text: str, party: re.Match[str]) -> bool:
    """Tell whether a party is named as an owner or as whom something is done to, so that it acts nowhere."""
    return party.group() in _NO_SUBJECT or text.startswith(("'s", "s'", "的"), party.end())
