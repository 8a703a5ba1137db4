"""Read who does what in a text: who bears a cost, decides, tells, repairs, owns, in both languages and voices."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from knowledge.validation.act_places import asks_reader, follows_article, is_noun
from knowledge.validation.act_wordings import ACT_NAMES, LEXICON, PARTY_NAMES, POSSESSED, SETTLED, TOKEN
from knowledge.validation.lexicon import compile_by_start
from knowledge.validation.party_places import is_object, is_owner, names_somebody
from knowledge.validation.readings import read_once

_JOINED = re.compile(r"^(?:和|与|及|以及|跟|或者?|\s(?:and|or)\s(?:(?:the|your|our|their|an?)\s)?)$")
_GIVER = re.compile(r"\b(?:refund|money|compensation|credit|payment|reimbursement)\s(?:back\s)?from\s(?:the\s)?$")
# Acts that are done to somebody, by what he is then.
_DIRECTED = {act: f"{act} to" for act in ("tell", "contact", "submit", "report", "share", "demand")} | dict.fromkeys(
    ("compensate", "repay"), "receive"
)
_BINDING = re.compile(r"(?<!not\s)\bbinding\s(?:up)?on\s(?:the\s)?$")
_BETWEEN = re.compile(
    r"\s?(?:to\s)?(?:the\s|our\s|your\s|an?\s)?(?:(?!(?:that|when|if|before|after|once|until|where|while|and|or|but|what|why|how|as|so|by)\s)[a-z]+\s)?(?:给|到|至)?"
)

_OBJECT = re.compile(r"\s(?:an?|the|any|each|every|our|your|their)\s(?:[a-z]+\s)?")
# 卖家应在买家付款后发货: within what happens meanwhile another acts.
_MEANWHILE = re.compile(r"(?:在|自|待|等|经)(?:[^,;。]{0,16}的[\u4e00-\u9fff]{0,2})?$")
_AFTERWARDS = re.compile(r"后|之?前|时|之日")
_SEVERAL = re.compile(r"[^,;。后时之日期前]{6,}")
# 找店家赔: whom one turns to acts next.
_TURNS_TO = re.compile(r"找[^,;。]{1,8}[赔退换修]")
_NEXT = re.compile(r"[,;]")
_GIVEN_CHOICE = re.compile(r"\s(?:a|the)\s(?:free\s)?(?:choice|option)\b|[\u4e00-\u9fff]?(?:自行|自由)选择")
_CHOICE_WITH = re.compile(
    r"\b(?:choice|decision)\b[^.;]{0,50}\b(?:belongs\sto|rests\swith|lies\swith|is\sup\sto)\s(?:the\s)?$"
)

_BOTH = (frozenset({"buyer", "seller"}), frozenset({"buyer", "house"}))
_OURS = re.compile(r"(?:\bour\s|我们的?|本店|本公司)$")
_PASSIVE = re.compile(r"(?:\b(?:is|are|be|been|was|were|being|gets?)(?:n't)?\s(?:not\s|never\s|also\s|\w+ly\s)*|被)$")
_BY = re.compile(
    r"\bby\s(?:(?:the|its|an?)\s(?:[a-z]+\s)?(?:representatives?\sof\s(?:the\s)?)?|independent\s|authori[sz]ed\s)?$|\b(?:approval|permission|consent|signature)\s(?:\([^)]{1,20}\)\s|in\swriting\s)?from\s(?:the\s)?$"
)
_RESTS_WITH = re.compile(
    r"\b(?:responsibility|duty|job|task|liability|expense|cost)\sof\s(?:the\s)?$|\b(?:rests?|lies?)\swith\s(?:the\s)?$"
)
# "It is up to you to prove": the one it is up to proves.
_UP_TO = re.compile(
    r"\b(?:up|down|left|falls?)\s(?:to|on)\s(?:the\s)?$|\b(?:is|are|it's|be)\s(?:up\s)?(?:on|for)\s(?:the\s)?$"
)
_TO_DO = re.compile(r"(?:\sand\s(?:the|your|our)\s\w+)?\sto\s(?!pay|cover)\w+")
_DENIED = compile_by_start(
    r"(?:无需|无须|不(?:用|必|需要?|会|得|承担|负|予|肯|愿意?|想|能|可以?|准|许|让|曾)?|未|没有?|免|勿|n't|\bnot|\bcannot|\bnever|\bno|\bneed\snot|\bwithout|\brefus(?:e|es|ing)\sto|\bfail(?:s|ing)?\sto)\s?(?:\w+\s)?(?:(?:be|to|have\sto)\s)?$"
)
_NOT_BY = re.compile(r"(?:不用|无需|无须|不必|不需要?|不由|不让|\bnot\sby)\s?(?:the\s)?$")
_PROPERTY = re.compile(r"\s(?:own\s)?(?:property|ownership)\b")

# 您提供的材料核实后: what somebody has done something to goes on without him.
_WHICH = re.compile(r"的[\u4e00-\u9fff]")
_DUTY = re.compile(r"应|可|须|要|能|得|会|将|不|有权")
# 核实情况后,客服可以…: a clause of time or condition that names nobody is about whoever the next one names.
_TIME = re.compile(r"[^,;。]{0,12}(?:后|之?前|时|的),")
# 应当…;不得…: behind a semicolon a duty that names nobody is about whoever had the one before.
_GOES_ON = re.compile(r"[,;；](?:并|还|且|也)?(?:应当?|不得|必?须|可以|有权)[^,;；。]{0,8}$")
# 按双方约定的规则: those who agreed on something act nowhere in it.
_AGREED = re.compile(r"(?:[和与跟同][^,;。的]{1,10})?(?:约|说|谈|商)(?:定|好)的")
# "We consider appeals": behind these a word in -s is no verb, unless it ends so itself.
_PLURAL = frozenset({"we", "you", "i", "they"})
# "They" is whom a noun names, and if the subject is one, he.
_SPEAKERS = frozenset({"you", "your", "yours", "yourself", "we", "us", "our", "ours", "i", "me", "my"})
_NOUNS = frozenset({"approval", "permission", "signature", "signatures"})
_BASE_IN_S = frozenset({"process", "access", "discuss", "address", "dismiss"})

# "You are responsible for": no passive.
_ADJECTIVES = ("responsible", "liable", "负责")
# Begins the names of acts that no list knows.
OPEN_ACT: Final = "word "

# A party this close behind "to" or 向 is whom the act is done to.
_NEAR = 5
_SIGHT = 24


class Role(NamedTuple):
    """A party that does an act at a place of a text; `is_implied` where the text names nobody."""

    act: str
    party: str
    at: int
    is_implied: bool = False


class Subject(NamedTuple):
    """A party that a text makes the subject of something, and where it is named."""

    party: str
    start: int
    end: int


class Roles(NamedTuple):
    """The parties of a text and what each does."""

    parties: frozenset[str]
    names: frozenset[str]
    """How the text calls them."""
    roles: tuple[Role, ...]
    subjects: tuple[Subject, ...]
    mentioned: frozenset[str]
    """Those too whose names only say which thing is meant."""


@read_once
def read_roles(text: str, stems: frozenset[str] = frozenset()) -> Roles:
    """Read the parties of a text in normal form, and who does which act; words of these stems are acts too."""
    reader = _Reader(text)
    for name, found in _tokens(text, stems):
        reader.take(name, found)
    return Roles(
        frozenset(reader.parties),
        frozenset(reader.names),
        tuple(reader.roles()),
        tuple(reader.subjects),
        frozenset(reader.parties | reader.mentioned),
    )


def _tokens(text: str, stems: frozenset[str]) -> Iterator[tuple[str, re.Match[str]]]:
    known = [("stop" if found.lastgroup else LEXICON.name(found), found) for found in TOKEN.finditer(text)]
    if not stems:
        return iter(known)
    taken = {at for _, found in known for at in range(found.start(), found.end())}
    others = (
        (OPEN_ACT + stem, found)
        for stem in stems
        for found in re.finditer(rf"\b{stem}[a-z]*" if stem.isascii() else stem, text)
        if found.start() not in taken
    )
    return iter(sorted((*known, *others), key=lambda token: token[1].start()))


class _Reader:
    """Goes through the parties and acts of a text from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.parties: set[str] = set()
        self.mentioned: set[str] = set()
        self.names: set[str] = set()
        self.subjects: list[Subject] = []
        self._found: list[Role] = []
        self._subject: str | None = None
        self._act: Role | None = None
        self._object_until = -1
        self._is_owned = False
        self._agent: str | None = None
        self._act_end = -1
        self._party_end = -1
        self._target: str | None = None
        self._is_charged = False
        self._outer: tuple[str | None, int, re.Pattern[str]] | None = None
        self._last: str | None = None
        self._left: str | None = None
        self._noun: str | None = None
        self._subject_name = "you"

    def roles(self) -> Iterator[Role]:
        """Yield who does what, each once a place."""
        yield from dict.fromkeys(self._found)

    def take(self, name: str, found: re.Match[str]) -> None:
        """Take in the next party, act or mark."""
        if name in PARTY_NAMES and not names_somebody(self.text, found):
            self.mentioned.add(name)
        elif name in PARTY_NAMES and _AGREED.match(self.text, found.end()) is not None:
            self._name(name, found)
        elif name in PARTY_NAMES:
            self._take_party(name, found)
        elif name in ACT_NAMES:
            self._take_act(ACT_NAMES[name], found)
        elif name.startswith(OPEN_ACT):
            self._take_act(name, found)
        elif name in SETTLED:
            self._found.append(Role(*SETTLED[name], found.start()))
        elif name in ("charge", "free"):
            self._take_charge(name, found)
        else:
            self._take_mark(name, found)
        self._object_until = self._end_of_object(name, found)
        self._is_owned = name == "owned"

    def _end_of_object(self, name: str, found: re.Match[str]) -> int:
        """Give how far parties are those to whom something is done; behind 向 and 到 all are, up to what is done."""
        if found.group() in "向到" and (several := _SEVERAL.match(self.text, found.end())) is not None:
            return several.end()
        if name in PARTY_NAMES and self._object_until > found.end() + _NEAR:
            return self._object_until
        return found.end() + _NEAR if name == "object" else -1

    def _name(self, name: str, found: re.Match[str]) -> None:
        self.parties.add(name)
        self._last = name
        self.names.add(found.group())
        if found.group() not in _SPEAKERS:
            self._noun = name

    def _take_party(self, named: str, found: re.Match[str]) -> None:
        is_ours = named == "employee" and _OURS.search(self.text, 0, found.start()) is not None
        name = "house" if is_ours else named
        self._name(name, found)
        self._take_owner(name, found)
        self._take_target(name, found)
        before, self._party_end = self._party_end, found.end()
        if before >= 0 and self._subject is not None and self._is_joined(before, found):
            pair = frozenset({self._subject, name})
            self._subject = "both" if pair in _BOTH else " & ".join(sorted(pair))
            del self.subjects[-1:]
            return
        if found.start() == self._act_end and not self.text.endswith("主张", 0, found.start()):
            return
        near = max(0, found.start() - _SIGHT)
        if _UP_TO.search(self.text, near, found.start()) and _TO_DO.match(self.text, found.end()):
            self._subject = name
        elif self._is_owned or _PROPERTY.match(self.text, found.end()):
            self._found.append(Role("own", name, found.start()))
        elif self._act is not None and self._is_done_by(found):
            self._found = [role for role in self._found if role.at != self._act.at]
            self._found.append(self._act._replace(party=name, is_implied=False))
        elif self._is_charged and self._is_payer(found):
            self._found[-1] = self._found[-1]._replace(party=name, is_implied=False)
        elif _NOT_BY.search(self.text, max(0, found.start() - 12), found.start()):
            self._subject = None
        elif found.start() > self._object_until and not is_object(self.text, found) and not self._is_done_to(found):
            self._outer = self._whose_turn_is_next(found)
            self._subject, self._subject_name = name, found.group()
            self.subjects.append(Subject(name, found.start(), found.end()))
        elif found.start() <= self._object_until and self.text.startswith("收取", found.end()):
            self._found.append(Role("bear", name, found.end()))

    def _whose_turn_is_next(self, found: re.Match[str]) -> tuple[str | None, int, re.Pattern[str]] | None:
        """Give who acts again when a party has done what happens meanwhile, or to somebody, and where he does."""
        if self.text.endswith("被", 0, found.start()):
            return self._subject, found.end(), _NEXT
        is_meanwhile = _MEANWHILE.search(self.text, 0, found.start()) is not None
        return (self._subject, found.end(), _AFTERWARDS) if is_meanwhile else None

    def _is_joined(self, before: int, found: re.Match[str]) -> bool:
        is_object = found.start() <= self._object_until
        return not is_object and _JOINED.match(self.text[before : found.start()]) is not None

    def _is_done_to(self, found: re.Match[str]) -> bool:
        """Tell whether a party is the object of the act before it: the member in "remove a member"."""
        return self._agent is not None and _OBJECT.fullmatch(self.text, self._act_end, found.start()) is not None

    def _is_done_by(self, found: re.Match[str]) -> bool:
        near = max(0, found.start() - 2 * _SIGHT)
        return _RESTS_WITH.search(self.text, near, found.start()) is not None or (
            self._agent is None and _BY.search(self.text, near, found.start()) is not None
        )

    def _take_owner(self, name: str, found: re.Match[str]) -> None:
        for act, pattern in POSSESSED:
            if pattern.match(self.text, found.end()):
                self._found.append(Role(act, name, found.start()))
        if _GIVEN_CHOICE.match(self.text, found.end()) or _CHOICE_WITH.search(self.text, 0, found.start()):
            self._found.append(Role("decide", name, found.start()))
        if _BINDING.search(self.text, max(0, found.start() - _SIGHT), found.start()):
            self._found.append(Role("be bound", name, found.start()))
        if _GIVER.search(self.text, max(0, found.start() - _SIGHT), found.start()):
            self._found.append(Role("bear", name, found.start()))

    def _take_target(self, name: str, found: re.Match[str]) -> None:
        """Note whom an act is done to: telling the customer is another act than telling the bank."""
        is_near = _BETWEEN.fullmatch(self.text, self._act_end, found.start()) is not None
        if self._act is not None and is_near and self._act.act in _DIRECTED:
            self._found.append(Role(_DIRECTED[self._act.act], name, found.start()))
        self._target = name if found.start() <= self._object_until and not found.group().isascii() else None
        if self._act is None or self._agent is None:
            return
        if is_near and self._agent == name and not is_owner(self.text, found):
            # Nobody is told or paid by himself: who does it is not named.
            self._found = [role for role in self._found if role.at != self._act.at]
        if is_near and self._agent != name:
            self._found.append(Role(f"{self._act.act} > {name}", self._agent or "", found.start()))

    def _is_payer(self, found: re.Match[str]) -> bool:
        return found.start() - self._found[-1].at < _SIGHT and (
            found.start() <= self._object_until or found.start() - self._found[-1].at < len("charges the ")
        )

    def _take_act(self, act: str, found: re.Match[str]) -> None:
        if _TURNS_TO.match(self.text, found.start()) is not None:
            self._subject = None
            return
        self._is_charged = False
        before = max(0, found.start() - _SIGHT)
        self._go_back_to_outer(found)
        self._act = Role(act, "", found.start())
        self._act_end, self._agent = found.end(), None
        if self._target is not None and act in _DIRECTED:
            self._found.append(Role(_DIRECTED[act], self._target, found.start()))
        self._target = None
        self._leave_subject(found)
        if self._subject is None:
            self._subject = self._unnamed_subject(found)
        if found.group() in _NOUNS:
            return
        if is_noun(self.text, found, self._party_end):
            return
        if act == "keep" and found.group().startswith("扣"):
            self._found.append(Role("bear", "buyer", found.start(), is_implied=True))
        if self._is_noun(found):
            return
        if self._names_a_thing(found):
            self._subject = None
            return
        if self._subject is not None and (
            found.group().startswith(_ADJECTIVES) or not _PASSIVE.search(self.text, before, found.start())
        ):
            is_denied = _DENIED.search(self.text, before, found.start())
            self._agent = None if is_denied else self._subject
            self._found.append(Role(f"not {act}" if is_denied else act, self._subject, found.start()))

    def _go_back_to_outer(self, found: re.Match[str]) -> None:
        if self._outer is not None and self._outer[2].search(self.text, self._outer[1], found.start()):
            self._subject, self._outer = self._outer[0], None

    def _unnamed_subject(self, act: re.Match[str]) -> str | None:
        """Give who acts where no party is named: whoever had the duty before, or whoever is asked."""
        if self._left is not None and _GOES_ON.search(self.text, max(0, act.start() - _SIGHT), act.start()):
            return self._left
        return "buyer" if asks_reader(self.text, act) else None

    def _is_noun(self, found: re.Match[str]) -> bool:
        """Tell whether a word in -s is no act of we or you: "we consider appeals"."""
        if not self.subjects or not found.group().endswith("s") or found.group() in _BASE_IN_S:
            return False
        return self.text[self.subjects[-1].start : self.subjects[-1].end] in _PLURAL

    def _names_a_thing(self, found: re.Match[str]) -> bool:
        """Tell whether an act only says which thing is meant: the documents in 您提供的材料."""
        if not self.subjects or self.text.endswith("被", 0, self.subjects[-1].start):
            return False
        between = self.text[self.subjects[-1].end : found.start()]
        return (
            _WHICH.match(self.text, found.end()) is not None and len(between) < _NEAR and _DUTY.search(between) is None
        )

    def _leave_subject(self, found: re.Match[str]) -> None:
        """Let nobody act where a clause of time is about whoever comes next."""
        if self.subjects and "," in self.text[self._party_end : found.start()] and _TIME.match(self.text, found.end()):
            self._subject = None

    def _take_charge(self, name: str, found: re.Match[str]) -> None:
        before = max(0, found.start() - _SIGHT)
        self._is_charged = False
        if name == "free":
            self._found.append(Role("bear", "house", found.start(), is_implied=True))
            return
        if _DENIED.search(self.text, before, found.start()):
            return
        is_passive = _PASSIVE.search(self.text, before, found.start()) is not None
        if self._subject is not None and not is_passive and not is_noun(self.text, found, self._party_end):
            self._found.append(Role("charge", self._subject, found.start()))
        if any(role.act == "bear" and role.at == found.start() for role in self._found):
            return
        payer = self._subject if is_passive and self._subject is not None else "buyer"
        self._found.append(Role("bear", payer, found.start(), is_implied=payer != self._subject))
        self._is_charged = True

    def _asks(self, found: re.Match[str]) -> bool:
        return not found.group().startswith("ha") and not follows_article(self.text, found)

    def _asker(self, request: re.Match[str]) -> str | None:
        """Give who asks: the subject, or whose request it is, as in 应用户的要求."""
        owned = self._party_end >= 0 and self.text[self._party_end : request.start()] == "的"
        return self._last if owned else self._subject

    def _take_mark(self, name: str, found: re.Match[str]) -> None:
        if name == "request" and (asker := self._asker(found)) is not None and self._asks(found):
            self._found.append(Role("request", asker, found.start()))
        if name == "request" and self._target is not None:
            self._found.append(Role("request to", self._target, found.start()))
        if name in ("stop", "request"):
            self._left = self._subject if found.group() in (";", "；") else None
            # Whoever is asked acts next, and is named behind the asking.
            self._subject, self._act, self._is_charged, self._target = None, None, False, None
        elif name == "who" and self._last is not None:
            self._subject = self._last
        elif name == "he" and (self._subject is None or self._subject_name in _SPEAKERS):
            self._subject, self._subject_name = self._noun, ""
        elif name == "please":
            self._subject = "buyer"
        elif name == "at own cost" and self._subject is not None:
            self._found.append(Role("bear", self._subject, found.start()))
