"""Check that what a rule leaves out stays out: an excepted case is let in by nobody, a condition is waived by nobody."""

import re
from collections.abc import Iterator

from knowledge.validation.concepts import find_things
from knowledge.validation.denials import SUPPOSED, denies, first_denial
from knowledge.validation.lexicon import compile_by_start
from knowledge.validation.parties import is_left_to_another
from knowledge.validation.readings import read_once
from knowledge.validation.stances import may_deny, read_stances
from knowledge.validation.words import content_words, normal_sentences, normalise

# The excepted case stands before 除外, between 除 and 外, or behind "except".
_EXCEPTED = re.compile(
    r"(?:^|[,，;；:：。])(?P<before>[^,，;；:：。]{2,24}?)(?:的)?(?:除外|例外|不适用|不[受在]此限)"
    r"|除(?:了|去)?(?P<between>[^,，;；。]{2,24}?)(?:之外|以外|外)"
    r"|\b(?:except(?:\s(?:for|in|on|with))?|excluding|other\sthan|apart\sfrom|with\sthe\sexception\sof)\s(?P<behind>[^,;.]{3,60})"
    r"|\bunless\s(?P<unless>[^,;.]{3,80})"
)
_MAY_EXCEPT = re.compile(r"此限|除|例外|不适用|\b(?:exce?pt|exclud|exception|other|apart|unless)")
_SHUT = re.compile(r"\b(?:exclu\w+|closed|void|prohibited|forbidden|banned)\b|闭|禁|谢绝")
_EXCEPTS = compile_by_start(
    r"除|例外|只|仅|但|不过|\b(?:except\w*|unless|exclud\w+|other\sthan|apart|only|but|however|though|without|otherwise|else|anyone|instead)\b"
)
# What a rule asks for: "only with your consent", 须经商家同意.
_ASKED = re.compile(
    r"\b(?:only\s(?:with|after|upon|on|if|when|once|where|to)|on\s(?:the\s)?(?:presentation|production|submission)\sof|subject\sto|(?<!n't\s)(?<!not\s)(?<!no\s)(?:requires?|needs?)|provided|as\slong\sas|without|must(?:\sbe)?|(?<!nor\s)(?<!event\s)shall(?:\sbe)?|(?:has|have)\sto(?:\sbe)?|bring)\s(?P<asked>[^,;.]{3,60})"
    r"|\b(?:if|once(?!\s(?:a|an|per|every|in)\b)|where|when)\s(?P<case>[^,;.]{3,60})"
    r"|(?:如果?|若|征得|取得)(?P<case_han>[^,;。]{2,16}?)(?:的|[,;。]|$)|(?:^|[,;。])(?P<case_de>[^,;。]{2,14}?)的(?=,)"
    r"|(?:(?<![无毋不])[须需]|应当?|必须|只有|[仅只]在|[仅只]凭|(?<![未不])[经凭])(?:经|征得|取得|凭|由)?(?P<asked_han>[^,，;；。]{2,12}?)(?:方可|才能?|后|的|[,，;；。]|$)"
)
_WAIVED = re.compile(
    r"\b(?:without(?:\s(?:any|asking|having|needing|to|you|a|an|our|your|the))*|no(?:\sneed\s(?:for|to))?|(?:do|does)(?:n't|\snot)\s(?:need|have)(?:\sto)?|needn't|need\snot)\s(?P<waived>[a-z\s]{3,40})"
    r"|\b(?P<needless>(?:\w+\s){1,4})(?:is|are)(?:n't|\snot)\s(?:needed|necessary|required)\b"
    r"|(?:不必|不用|无需|无须|毋需|不需要?|用不着|犯不着|没有?必要|不经|未经)(?:经过?|征得|取得|任何|先)?(?P<waived_han>[^,，;；。]{2,10})"
    r"|(?:没有?|不|未)(?P<lacking_han>[^,，;；。]{1,8}?)(?:也|都|照样|同样)(?:可以?|能|会|行|算|给|有效)"
)
# What goes wrong, or is left, without the condition.
_SPOILT = re.compile(r"\bun[a-z]{5,}\b|\b(?:only|otherwise|else)\b|只|仅")
_OWN_EXCEPTION = re.compile(
    r"(?:除非|只有|除了)[^。]*|[^,;。]*除外|\b(?:unless|except\w*|only|but|if|when|where)\b[^.;]*"
)
_SEVERAL = re.compile(r"\s(?:or|and)\s|或者?|、|和|及")
_EITHER = re.compile(r"\sor\s|或者?|、")
# What a claim itself excepts, supposes or asks about it waives for nobody.
_UNLESS = re.compile(
    r"\b(?:unless|(?<!even\s)(?:if|when|where|once(?!\s(?:a|an|per|every|in)\b)))\b[^,;.]*|除非[^,;。]*|^[^.;!?]*\?(?=.)"
)
_COUNTED_IN = compile_by_start(r"(?<!不)包括[^,;。]*|(?<!not\s)\bincluding\b[^.;]*")
_YOURSELF = re.compile(r"\byourself\b")
_HALF = 0.5
_MOST = 0.6


def find_let_in(claim: str, quotes: tuple[str, ...]) -> str | None:
    """Give the excepted case of the quotes that a claim speaks of and treats like the rest; None if it treats none so."""
    return _find_granted(claim, quotes) or _find_denied(claim, quotes)


def _find_granted(claim: str, quotes: tuple[str, ...]) -> str | None:
    said = normalise(claim)
    granted = _granted(said)
    if granted is None or any(said in normalise(quote) for quote in quotes):
        return None
    sentences = tuple(sentence for quote in quotes for sentence in normal_sentences(quote))
    return next(
        (case for sentence in sentences for case, rest in _cases(sentence) if _speaks_of(granted, case, rest)), None
    )


def _granted(said: str) -> str | None:
    """Give what a claim lets in: what it counts in by name, or all it says where it excepts and denies nothing."""
    if counted := _COUNTED_IN.findall(said):
        return " ".join(counted)
    return None if _EXCEPTS.search(said) or denies(_YOURSELF.sub(" ", said)) else said


@read_once
def _excepted(text: str) -> tuple[re.Match[str], ...]:
    """Find the exceptions of a text in normal form; most have no word that could make one."""
    return tuple(_EXCEPTED.finditer(text)) if _MAY_EXCEPT.search(text) else ()


def _cases(sentence: str) -> Iterator[tuple[str, str]]:
    for found in _excepted(sentence):
        # "Excluded unless it arrives damaged" and "closed except on holidays" let the case in.
        rest = f"{sentence[: found.start()]} {sentence[found.end() :]}"
        if first_denial(rest) is not None or _SHUT.search(rest):
            continue
        yield from ((case, rest) for case in _SEVERAL.split(found.group(found.lastgroup or 0)))


def _speaks_of(claim: str, case: str, rest: str) -> bool:
    """Tell whether a claim is about a case: most words of the case that its rule has nowhere else stand in the claim."""
    own = content_words(case) - content_words(rest)
    return bool(own) and len(own & content_words(claim)) >= _MOST * len(own)


def _find_denied(claim: str, quotes: tuple[str, ...]) -> str | None:
    """Give the case that a denying rule of the quotes excepts and a claim denies all the same."""
    said, text = normalise(claim), " ".join(map(normalise, quotes))
    if not may_deny(said) or not (excepted := _excepted(text)):
        return None
    rest = _OWN_EXCEPTION.sub(" ", _EXCEPTED.sub(" ", said))
    if first_denial(SUPPOSED.sub(" ", rest)) is None or any(said in normalise(quote) for quote in quotes):
        return None
    for found in excepted:
        rule = f"{text[: found.start()]} {text[found.end() :]}"
        if first_denial(rule) is None:
            continue
        known = content_words(rule)
        for case in _EITHER.split(found.group(found.lastgroup or 0)):
            own = content_words(case) - known
            if own and len(own & content_words(rest)) >= _HALF * len(own):
                return case
    return None


def find_waived(claim: str, quotes: tuple[str, ...]) -> str | None:
    """Give the condition that a claim waives and its quotes ask for; None if it waives none."""
    whole = normalise(claim)
    said = _UNLESS.sub(" ", whole)
    given_up = tuple(_WAIVED.finditer(said)) if may_deny(said) else ()
    if not given_up:
        return None
    texts = tuple(normalise(quote) for quote in quotes)
    if any(whole in text or _excepted(text) for text in texts) or is_left_to_another(claim, quotes):
        return None
    asked = tuple(
        words
        for text in texts
        for found in _ASKED.finditer(text)
        if _asks(found, text) and (words := _matter(found.group(found.lastgroup or 0)))
    )
    for found in given_up:
        waived = _matter(found.group(found.lastgroup or 0))
        rest = f"{said[: found.start()]} {said[found.end() :]}"
        if (
            waived
            and first_denial(rest) is None
            and first_denial(found.group(found.lastgroup or 0)) is None
            and not _SPOILT.search(rest)
            and any(_is_asked(waived, words) for words in asked)
        ):
            return found.group()
    return None


def _asks(found: re.Match[str], text: str) -> bool:
    """Tell whether words ask for something: "without notice" does so only in a rule that denies something."""
    if not found.group().startswith("without"):
        return True
    return first_denial(f"{text[: found.start()]} {text[found.end() :]}") is not None


def _is_asked(waived: frozenset[str], asked: frozenset[str]) -> bool:
    """Tell whether most of what is waived is asked for, or half of it with the act."""
    shared = waived & asked
    return len(shared) >= (_HALF if any(key.startswith("act:") for key in shared) else _MOST) * len(waived)


def _matter(text: str) -> frozenset[str]:
    """List the words, acts and things of a text."""
    return content_words(text) | find_things(text) | read_stances(text).acts
