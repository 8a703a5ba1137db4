"""Read who does what in a text: who bears a cost, decides, tells, repairs, owns, in both languages and voices."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from knowledge.validation.lexicon import make_lexicon
from knowledge.validation.party_names import PARTIES

# Acts where a swapped party does harm: bearing a cost or a burden, deciding, telling, giving up what is one's own.
_ACTS: tuple[tuple[str, str], ...] = (
    (
        "bear",
        r"承担|负担|自理|自付|自费|(?:支付|付款)(?!的?[账帐][户号]|方式|时间|记录|凭证|页面|之?后|之日|时|日|成功|失败)|缴纳|交纳|垫付|出(?=运费|邮费|钱|费)|(?<=自己)[出掏付]|(?<=[家台户您们方])(?:来)?[出掏付]|担着|\b(?:pays?|paid|paying|bears?|borne|covers?|covered|cover\sthe\scost|foots?)\b",
    ),
    ("cancel", r"\bterminat(?:e|es|ed|ing)\b|\bcancel(?:s|led|ed|ling)?\b|\bends?\sthe\b|取消|终止|解除"),
    ("decide", r"决定|裁定|裁量|\bdecid\w*|\bdiscretion\b"),
    ("prove", r"举证"),
    ("compensate", r"赔偿|赔付|赔|\bcompensat(?:e|es|ed|ing)\b|\bindemnif\w*"),
    ("tell", r"(?<!的)通知|告知|通报|提醒|\bnotif(?:y|ies|ied)\b|\binforms?\b|\btells?\b"),
    ("share", r"共享|披露|泄露|出售|\b(?:shares?|discloses?|sells?)\b"),
    ("delete", r"删除|\bdeletes?\b|\beras(?:e|es)\b"),
    ("install", r"安装|\binstalls?\b"),
    ("be responsible", r"负责|\bresponsible\sfor\b|\bresponsibility\b|\bliable\b|\banswers?\sfor\b"),
    ("provide", r"提供|出具|\bprovid(?:e|es)\b"),
    ("issue", r"开具|开票|\bissues?\b"),
    ("publish", r"公示|公告|公布|\bpublish(?:es)?\b"),
    ("approve", r"批准|同意|\bapprov(?:e|es)\b"),
    ("investigate", r"调查|查处|查找|查明|纠正|责令|\binvestigat(?:e|es)\b"),
    ("inspect", r"验收|验货|检测|审核|\binspects?\b"),
    ("sign for", r"签收"),
    ("show", r"出示|\bpresents?\b"),
    ("choose", r"选择|\b(?:choose|chooses|prefers?)\b"),
    ("release", r"\breleases?\b"),
    ("forward", r"转送|转达|转交|\b(?:forwards?|pass(?:es)?\s(?:\w+\s){0,5}?on)\b"),
    ("object", r"提出异议|\bobjects?\sto\b"),
    ("deliver", r"配送(?!费|员|范围|时)|送货|发货|\b(?:delivers?|ships?|dispatch(?:es)?)\b"),
    ("repair", r"\brepairs?\s(?=the\b|it\b|your\b|any\b)|\bfix(?:es)?\b"),
    ("keep", r"扣留|扣除|扣掉|没收|\b(?:retains?|keeps?|withholds?)\b"),
    ("collect", r"上门(?:回收|取件|收)|\b(?:collects?|picks?\sup)\b"),
    ("bring", r"\bbrings?\b"),
    ("contact", r"联系(?!方式|电话|人)|\bcontacts?\b"),
    ("appeal", r"\bappeals?\b"),
    ("handle", r"办理|代办|受理|处理(?!费)|\b(?:handles?|process(?:es)?)\b"),
    ("confirm", r"确认|核实|\bconfirms?\b|\bverif(?:y|ies)\b"),
)
# Who charges does not pay: whom it is charged to does.
_CHARGE = r"收取|加收|另收|计收|\bcharg(?:e|es|ed|ing)\b(?!\sof)|\binvoic(?:e|es|ed)\s(?=you|the)|\bbill(?:s|ed)\b"
_FREE = r"包邮|免(?:收|费|运费|邮费|邮)|不收|\bfree\sof\scharge\b|\bat\sno\s(?:additional\s|extra\s)?(?:cost|charge)\b"
_WHOSE = r"at\s(?:the\s)?(?:%s)(?:'s|s')?\s(?:own\s)?(?:expense|cost)\b|(?:is|are|be|falls?)\s(?:all\s)?on\s(?:the\s)?(?:%s)\b|up\sto\s(?:the\s)?(?:%s)\sto\s(?:pay|cover)\b"
_LEXICON = make_lexicon(
    (
        ("at buyer's cost", _WHOSE % (("your|you|buyer|customer|consumer",) * 3)),
        ("at seller's cost", _WHOSE % (("our|us|seller|merchant|shop",) * 3)),
        ("at own cost", r"(?:at\s)?(?:its|their)\sown\s(?:expense|cost)\b"),
        ("buyer's own", r"(?:remains?|stays?|becomes?|is|are|be)\syours\b"),
        ("seller's own", r"(?:remains?|stays?|becomes?|is|are|be)\sours\b"),
        ("own", r"(?:becomes?|is|are|remains?)\sthe\s(?:sole\s)?owners?\b|owns?\b|keeps?\s(?:the\s)?ownership\b"),
        ("owned", r"belongs?\sto\b|owned\sby\b|property\sof\b|归(?=[^还类零]{1,6}所有)|属于"),
        *PARTIES,
        ("charge", _CHARGE),
        ("free", _FREE),
        *((f"to {act}", pattern) for act, pattern in _ACTS),
        ("object", r"向|对|给|从|to\b|for\b|from\b|with\b|与|跟|同"),
        ("request", r"要求|请求(?![后时之的,。])|申请|邀请|聘请|找|asks?\b|requests?\b|has\b|have\b"),
        ("please", r"请(?!假|款|示|求)|please\b"),
    )
)
_TOKEN = re.compile(rf"{_LEXICON.source}|(?P<stop>[.;。；!?！？\n])")
_PARTY_NAMES = frozenset(name for name, _ in PARTIES)
_ACT_NAMES = {f"to {act}": act for act, _ in _ACTS} | {"own": "own"}
_SETTLED = {
    "at buyer's cost": ("bear", "buyer"),
    "at seller's cost": ("bear", "seller"),
    "buyer's own": ("own", "buyer"),
    "seller's own": ("own", "seller"),
}

_NO_SUBJECT = frozenset({"us", "our", "ours", "your", "yours"})
_PASSIVE = re.compile(r"(?:\b(?:is|are|be|been|was|were|being|gets?)\s(?:\w+ly\s)?|被)$")
_BY = re.compile(r"\bby\s(?:the\s|its\s|an?\s)?$")
_DENIED = re.compile(
    r"(?:无需|无须|不(?:用|必|需要?|会|得|承担|负|予)?|未|免|n't|\bnot|\bnever|\bno|\bneed\snot)\s?(?:\w+\s)?(?:(?:be|to|have\sto)\s)?$"
)
_NOT_BY = re.compile(r"(?:不用|无需|无须|不必|不需要?|不由|不让|\bnot\sby)\s?(?:the\s)?$")
_OBJECT_OF = re.compile(
    r"\b(?:find|give|offer|send|tell|notif|inform|charge|refund|ask|let|help|allow|provide|contact|invoice|bill|grant|owe|cost|reach|entitle|enable|require|remind|pay|reimburse|compensate)(?:y|s|es|ies|d|ed|ing)?\s(?:the\s|our\s)?$"
)
_PROPERTY = re.compile(r"\s(?:own\s)?(?:property|ownership)\b")

# A party this close behind "to" or 向 is whom the act is done to.
_NEAR = 5
_SIGHT = 24


class Role(NamedTuple):
    """A party that does an act at a place of a text; `is_implied` where the text names nobody."""

    act: str
    party: str
    at: int
    is_implied: bool = False


class Roles(NamedTuple):
    """The parties of a text and what each does."""

    parties: frozenset[str]
    names: frozenset[str]
    """How the text calls them."""
    roles: tuple[Role, ...]


@lru_cache(maxsize=2048)
def read_roles(text: str) -> Roles:
    """Read the parties of a text in normal form, and who does which act."""
    reader = _Reader(text)
    for found in _TOKEN.finditer(text):
        reader.take("stop" if found.lastgroup else _LEXICON.name(found), found)
    return Roles(frozenset(reader.parties), frozenset(reader.names), tuple(reader.roles()))


class _Reader:
    """Goes through the parties and acts of a text from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.parties: set[str] = set()
        self.names: set[str] = set()
        self._found: list[Role] = []
        self._subject: str | None = None
        self._act: Role | None = None
        self._object_until = -1
        self._is_owned = False
        self._is_charged = False

    def roles(self) -> Iterator[Role]:
        """Yield who does what, each once a place."""
        yield from dict.fromkeys(self._found)

    def take(self, name: str, found: re.Match[str]) -> None:
        """Take in the next party, act or mark."""
        if name in _PARTY_NAMES:
            self._take_party(name, found)
        elif name in _ACT_NAMES:
            self._take_act(_ACT_NAMES[name], found)
        elif name in _SETTLED:
            self._found.append(Role(*_SETTLED[name], found.start()))
        elif name in ("charge", "free"):
            self._take_charge(name, found)
        else:
            self._take_mark(name, found)
        self._object_until = found.end() + _NEAR if name == "object" else -1
        self._is_owned = name == "owned"

    def _take_party(self, name: str, found: re.Match[str]) -> None:
        self.parties.add(name)
        self.names.add(found.group())
        if self._is_owned or _PROPERTY.match(self.text, found.end()):
            self._found.append(Role("own", name, found.start()))
        elif self._act is not None and _BY.search(self.text, max(0, found.start() - 8), found.start()):
            self._found = [role for role in self._found if role.at != self._act.at]
            self._found.append(self._act._replace(party=name, is_implied=False))
        elif self._is_charged and self._is_payer(found):
            self._found[-1] = self._found[-1]._replace(party=name, is_implied=False)
        elif _NOT_BY.search(self.text, max(0, found.start() - 12), found.start()):
            self._subject = None
        elif found.start() > self._object_until and not _is_object(self.text, found):
            self._subject = name
        elif found.start() <= self._object_until and self.text.startswith("收取", found.end()):
            self._found.append(Role("bear", name, found.end()))

    def _is_payer(self, found: re.Match[str]) -> bool:
        return found.start() - self._found[-1].at < _SIGHT and (
            found.start() <= self._object_until or found.start() - self._found[-1].at < len("charges the ")
        )

    def _take_act(self, act: str, found: re.Match[str]) -> None:
        self._is_charged = False
        before = max(0, found.start() - _SIGHT)
        self._act = Role(act, "", found.start())
        if act == "keep" and found.group().startswith("扣"):
            self._found.append(Role("bear", "buyer", found.start(), is_implied=True))
        if self._subject is not None and not _PASSIVE.search(self.text, before, found.start()):
            is_denied = _DENIED.search(self.text, before, found.start())
            self._found.append(Role(f"not {act}" if is_denied else act, self._subject, found.start()))

    def _take_charge(self, name: str, found: re.Match[str]) -> None:
        before = max(0, found.start() - _SIGHT)
        self._is_charged = False
        if name == "free":
            self._found.append(Role("bear", "seller", found.start(), is_implied=True))
            return
        if _DENIED.search(self.text, before, found.start()):
            return
        is_passive = _PASSIVE.search(self.text, before, found.start()) is not None
        if self._subject is not None and not is_passive:
            self._found.append(Role("charge", self._subject, found.start()))
        if any(role.act == "bear" and role.at == found.start() for role in self._found):
            return
        payer = self._subject if is_passive and self._subject is not None else "buyer"
        self._found.append(Role("bear", payer, found.start(), is_implied=payer != self._subject))
        self._is_charged = True

    def _take_mark(self, name: str, found: re.Match[str]) -> None:
        if name in ("stop", "request"):
            # Whoever is asked acts next, and is named behind the asking.
            self._subject, self._act, self._is_charged = None, None, False
        elif name == "please":
            self._subject = "buyer"
        elif name == "at own cost" and self._subject is not None:
            self._found.append(Role("bear", self._subject, found.start()))


def _is_object(text: str, party: re.Match[str]) -> bool:
    """Tell whether a party is named as an owner or as whom something is done to, so that it acts nowhere."""
    return (
        party.group() in _NO_SUBJECT
        or text.startswith(("'s", "s'", "的"), party.end())
        or _OBJECT_OF.search(text, max(0, party.start() - _SIGHT), party.start()) is not None
    )
