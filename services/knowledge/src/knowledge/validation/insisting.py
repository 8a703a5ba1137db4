"""Check what a claim insists on or carries on, though verbs and nouns may all be other words than in its quotes.

"Only after notice" contradicts "without notice", and "the warranty still stands" contradicts "the warranty lapses".
"""

import re
from typing import Final, NamedTuple

from knowledge.validation.denials import SUCH, SUPPOSED, denies, first_denial
from knowledge.validation.lexicon import compile_by_start
from knowledge.validation.stances import may_deny
from knowledge.validation.words import normalise

_NOTHING: Final = r"(?!)"
# What is done without something: 未经同意, "without notice".
_WITHOUT = re.compile(
    r"\bwithout\s(?:an?y?\s|your\s|prior\s|the\s|further\s)?([a-z]{5,})"
    r"|(?:未经|不经|无需|不必|不用|免于)(?:您|本人|消费者|用户|事先)?([\u4e00-\u9fff]{2})"
)


class _Matter(NamedTuple):
    """What may come first or be done without: how rules do without it, and how it is told."""

    without: re.Pattern[str]
    told: re.Pattern[str]


def _matter(nouns: str, verbs: str, han: str, han_verbs: str, *, denied: str = _NOTHING) -> _Matter:
    told = rf"\b(?:{nouns}|{verbs})|{han}|{han_verbs}"
    return _Matter(
        compile_by_start(
            rf"\b(?:without|no)\s(?:\w+\s){{0,3}}(?:{nouns})|(?:[未不]经|无需|无须|不必|不用|不另行?|恕不)[^,;。]{{0,4}}(?:{han})|{denied}"
        ),
        compile_by_start(told),
    )


_CONSENT: Final = _matter(
    r"(?:consent|permission|approval|agreement|authori[sz]ation|asking)\b",
    r"(?:agrees?|agreed|agreeing|approves?|approved|approving|consents?|permits?|sign(?:s|ed)?\soff|asks?\s(?:\w+\s){0,2}first|say\syes)\b",
    r"同意|许可|批准|授权|准许",
    r"点头|答应|愿不?愿?意|征求|问过",
)
# Consent is what rules most often ask for, and what claims waive in the most words.
_WAIVED: Final = compile_by_start(
    rf"(?:\bwithout|\bno\sneed|(?:n't|\bnot)\s(?:need|have)\sto|\bneedn't)\b[^,;.]{{0,24}}?(?:{_CONSENT.told.pattern})"
    rf"|(?:不用|用不着|无需|无须|不必|不需要?|没有?必要|未经|不经|没有?(?=[^,;。]*也))[^,;。]{{0,10}}?(?:{_CONSENT.told.pattern})"
)
_MATTERS: Final = (
    _CONSENT,
    _matter(
        r"(?:notice|notif\w*|warning|informing|telling|reminder\w*)\b",
        r"(?:tells?|told|informs?|informed|warn(?:s|ed)?|alert(?:s|ed)?|remind(?:s|ed)?|announc\w*|advis\w*|contact\w*|e-?mail(?:s|ed)?|hears?\sfrom|heads[-\s]up|lets?\s(?:\w+\s){1,3}know)\b",
        r"通知|告知|预告|提醒",
        r"告诉|公告|公布|公示|联系|打招呼|知会|提示",
        denied=r"(?:不会?|没有|无法)[^,;。]{0,4}收到[^,;。]{0,16}(?:通知|提醒)|(?:\bnot|n't|\bnever)\s(?:be\s)?(?:get|receive|sent|given|notified|informed|reminded)\b(?:\s\w+){0,3}?\s(?:notice|notification|reminder|warning)s?\b",
    ),
    _matter(
        r"(?:reasons?|cause|explanation|explaining|justification)\b",
        r"(?:explains?|justif(?:y|ies)|says?\swhy|tells?\s(?:\w+\s)?why)\b",
        r"理由|原因",
        r"解释|说明|为什么",
    ),
)
_INSISTS = compile_by_start(r"\b(?:only|must|needs?|ha(?:s|ve)\sto)\b|只|必须|才|须|需|先")
_STOP = re.compile(r"[;。!?\n]|\.(?!\d)")
# What goes on all the same, and what a quote says of the kind itself.
_GOES_ON = compile_by_start(
    r"仍|照样|依然|照常|照旧|\bstill\b(?!\s(?:at\sleast|left|belongs?|open|on|in)\b)|\bwill\sgo\sahead\b"
)
_GRANTS = re.compile(
    r"\b(?:remain\w*|stay\w*|keep\w*|may|can|still|even|belong\w*|unchanged|postponed?|moved|continu\w*|regardless)\b|仍|也|可以?|继续|有效"
    r"|[不未](?:得|能|应|会)?(?:免|影响|妨碍|取消|因|拒|中断|改变|代表|等于)|为由|\bnot\s(?:remove|cancel|affect|end)\b"
)


def find_unfounded_insistence(claim: str, quotes: tuple[str, ...]) -> str | None:
    """Give the words of a claim that insist on or carry on what its quotes do without or end; None for none."""
    said = normalise(claim)
    done_without = _done_without(said, quotes)
    if done_without is not None:
        return done_without
    insists, rule = _INSISTS.search(said) is not None, _rule(said)
    goes_on = _GOES_ON.search(rule)
    if not (insists or goes_on):
        return None
    texts = tuple(map(normalise, quotes))
    wanting = _insisted_on(said, texts) if insists else None
    if wanting is None and goes_on is not None and _ends(rule[goes_on.start() :], texts):
        return goes_on.group()
    return wanting


def _done_without(said: str, quotes: tuple[str, ...]) -> str | None:
    """Find what a claim tells as given or asked for, where the quotes do without it, or waives where they ask for it."""
    text = "\n".join(map(normalise, quotes))
    if said in text:
        return None
    if may_deny(said):
        waived = _WAIVED.search(said)
        return waived.group() if waived is not None and _asks_for_consent(text, said) else None
    told = ((matter, matter.told.search(said)) for matter in _MATTERS)
    return next((found.group() for matter, found in told if found is not None and _does_without(text, matter)), None)


def _does_without(text: str, matter: _Matter) -> bool:
    """Tell whether a rule does without something and denies nothing else: "not without notice" asks for notice."""
    if matter.without.search(text) is None or matter.told.search(matter.without.sub(" ", text)) is not None:
        return False
    return any(
        matter.without.search(rule) is not None and first_denial(matter.without.sub(" ", rule)) is None
        for rule in _STOP.split(text)
    )


def _asks_for_consent(text: str, said: str) -> bool:
    """Tell whether every rule that speaks of consent affirms it, and a claim denies nothing but that it is needed."""
    rules = [rule for rule in _STOP.split(text) if _CONSENT.told.search(rule)]
    if not rules or _CONSENT.without.search(text) is not None or first_denial(_WAIVED.sub(" ", said)) is not None:
        return False
    return all(first_denial(rule) is None for rule in rules)


def _insisted_on(said: str, texts: tuple[str, ...]) -> str | None:
    """Find what a claim insists on and a rule of the quotes that denies nothing else does without."""
    if _WITHOUT.search(said) or first_denial(said) is not None:
        return None
    for rule in (rule for text in texts for rule in _STOP.split(text)):
        for found in _WITHOUT.finditer(rule):
            wanting = found[1] or found[2]
            if wanting in said and first_denial(rule[: found.start()] + rule[found.end() :]) is None:
                return wanting
    return None


def _ends(rule: str, texts: tuple[str, ...]) -> bool:
    """Tell whether quotes end or deny something and grant nothing, and a rule denies nothing itself."""
    return (
        first_denial(rule) is None
        and not any(map(_GRANTS.search, texts))
        and any(denies(_rule(text)) for text in texts)
    )


def _rule(said: str) -> str:
    """Leave out what a text supposes or describes."""
    return SUCH.sub(" ", SUPPOSED.sub(" ", said))
