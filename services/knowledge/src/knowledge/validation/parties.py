"""Check that a claim lets the same party pay, decide and act as its quotes do."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from knowledge.validation.words import normalise

_PARTIES: tuple[tuple[str, str], ...] = (
    (
        "platform",
        r"(?:网络交易|电子商务|网络|第三方)?(?:交易)?平台(?:提供者|经营者|方)?(?!内|上|[\u4e00-\u9fff]{0,3}内)|\b(?:platforms?|marketplace)\b",
    ),
    ("court", r"(?:人民)?法院|\bcourts?\b|\bjudges?\b"),
    ("postal authority", r"邮政管理部门"),
    (
        "authority",
        r"市场监(?:督管理|管)(?:部门|局)?|(?:有关)?(?:行政|主管|监管)部门|政府|税务(?:机关|局)|公安(?:机关|局)|\b(?:authorit(?:y|ies)|regulators?|government)\b",
    ),
    ("consumer association", r"消费者(?:协会|委员会|权益保护委员会)|消协|\bconsumer\sassociation\b"),
    ("courier", r"快递(?:公司|企业|员)?|经营快递业务的企业|承运人|\b(?:couriers?|carriers?)\b"),
    ("property manager", r"物业(?:服务)?(?:企业|公司|服务人)|物业"),
    ("owners", r"业主(?:大会|委员会)?"),
    ("recipient", r"收件人|收款人|\brecipients?\b|\baddressee\b"),
    ("manufacturer", r"生产者|制造商|生产商|厂家|\bmanufacturers?\b"),
    (
        "seller",
        r"商家|卖家|卖方|经营者|店家|店铺|网店|商户|销售者|销售商|服务者|供应商|超市|我们|本店|公司方|\b(?:sellers?|merchants?|retailers?|vendors?|shops?|stores?|we|us|our|ours|suppliers?)\b",
    ),
    (
        "buyer",
        r"消费者|买家|买方|顾客|客户|用户|您|你们?|购买者|会员|订户|申请人|投诉人|旅游者|\b(?:buyers?|customers?|consumers?|users?|subscribers?|shoppers?|you|your|yours|yourself|purchasers?|clients?|passengers?)\b",
    ),
)
_PARTY = "|".join(f"(?P<party{number}>{pattern})" for number, (_, pattern) in enumerate(_PARTIES))

_PARTY_NAMES = {f"party{number}": name for number, (name, _) in enumerate(_PARTIES)}

# Bearing a cost, a burden or a decision: where a swapped party does harm.
_ACTS: tuple[tuple[str, str], ...] = (
    (
        "bear",
        r"承担|负担|自理|自付|自费|支付|付款|缴纳|交纳|出(?=运费|钱|费)|(?<=自己)出|担着|\b(?:pays?|paid|paying|bears?|covers?|cover\sthe\scost)\b",
    ),
    ("cancel", r"\bterminat\w*|\bcancel\w*|取消|终止|解除"),
    ("decide", r"决定|裁定|裁量|\bdecid\w*|\bdiscretion\b"),
    ("prove", r"举证"),
    ("compensate", r"赔偿|赔付|赔|\bcompensat\w*|\bindemnif\w*"),
)
_ACT = "|".join(f"(?P<act{number}>{pattern})" for number, (_, pattern) in enumerate(_ACTS))
_ACT_NAMES = {f"act{number}": name for number, (name, _) in enumerate(_ACTS)}
_BREAK = r"(?P<stop>[.;。；!?！？\n])"
_WHOSE = r"\bat\s(?:the\s)?(?P<whose>your|our|buyer|customer|seller|merchant)(?:'s|s')?\s(?:own\s)?(?:expense|cost)\b"
_PHRASES = f"(?:{_WHOSE})|{_PARTY}|{_ACT}|(?P<object>向|对|给|\\bto\\b|\\bfor\\b|\\bfrom\\b|要求|请求|找|与|跟|同)"
# Trying the phrases only where one can start halves the cost.
_STARTS = "".join(sorted(set(re.findall(r"[\u4e00-\u9fff]", _PHRASES))))
_TOKEN = re.compile(rf"(?:(?=[{_STARTS}])|(?<![a-z])(?=[a-z]))(?:{_PHRASES})|{_BREAK}")


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
    for party in sorted(claimed.parties - named - _UNNAMED):
        if named:
            yield PartySwap(party, None)
    for act, agents in claimed.agents.items():
        theirs = frozenset[str]().union(*(roles.agents.get(act, frozenset()) for roles in quoted))
        if theirs and not agents & theirs:
            yield PartySwap(", ".join(sorted(agents)), act)


_NO_SUBJECT = frozenset({"us", "our", "ours", "your", "yours"})

# A party this close behind "to" or 向 is whom the act is done to.
_NEAR = 5

# Policies address their reader and speak of themselves, or leave both out: naming them adds nothing.
_UNNAMED = frozenset({"buyer", "seller"})


# A company named like GitHub before a modal verb speaks of itself.
_COMPANY = re.compile(r"\b[A-Z]+[a-z]+[A-Z]\w*(?=\s(?:may|must|will|can|shall)\b)")


def _normal(text: str) -> str:
    return normalise(_COMPANY.sub("we", text))


@lru_cache(maxsize=2048)
def _read_roles(text: str) -> _Roles:
    parties: set[str] = set()
    agents: defaultdict[str, set[str]] = defaultdict(set)
    subject: str | None = None
    object_until = -1
    for found in _TOKEN.finditer(text):
        group = found.lastgroup or ""
        if group in _PARTY_NAMES:
            parties.add(_PARTY_NAMES[group])
            if found.start() > object_until and not _is_possessive(text, found):
                subject = _PARTY_NAMES[group]
        elif group in _ACT_NAMES and subject is not None:
            agents[_ACT_NAMES[group]].add(subject)
        elif group == "stop":
            subject = None
        elif found.group("whose") is not None:
            agents["bear"].add(_name_party(found.group("whose")))
        object_until = found.end() + _NEAR if group == "object" else -1
    return _Roles(frozenset(parties), {act: frozenset(names) for act, names in agents.items()})


def _is_possessive(text: str, party: re.Match[str]) -> bool:
    """Tell whether a party is named as an owner or as whom something is done to, so that it acts nowhere."""
    return party.group() in _NO_SUBJECT or text.startswith(("'s", "s'", "的"), party.end())


def _name_party(word: str) -> str:
    return "buyer" if word in ("your", "buyer", "customer") else "seller"
