"""Recognises English names and postal addresses where the words around say that a person's stands there."""

import re
from typing import Final

from personal_data.rule_recognizer import ENGLISH, RuleRecognizer, Span
from personal_data.surroundings import speaks_of_a_company

_WORD: Final = r"[^\W\d_](?:[^\W\d_]|['’-](?=[^\W\d_])){1,24}"
_PART: Final = rf"(?:{_WORD}|[^\W\d_]\.)"
_TITLE: Final = r"(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.?"
_TITLED: Final = re.compile(rf"\b{_TITLE}[ ]({_PART}(?:[ ]{_PART}){{0,3}})")
_TOLD: Final = re.compile(
    r"(?:\b[Mm]y (?:full |first |last |maiden )?name is|\b(?:[Hh]is|[Hh]er|[Tt]heir) (?:maiden |last |first )?name is"
    r"|\bname\?(?: [Uu]ser:)?|\bname on the account\? [Uu]ser:|\b[Tt]his is|\bI am|\bI['’]m"
    r"|\bpartner['’]s name|\b[Ss]igned by|\b[Bb]eneficiary:?|\b[Cc]ardholder:?)"
    rf"[ ]+(?:{_TITLE}[ ])?({_PART}(?:[ ]{_PART}){{0,3}})"
)
_LABELLED: Final = re.compile(
    rf"(?:^|[|,;])[ \t>*|-]*(?:(?:[Ff]ull |[Ff]irst |[Ll]ast |[Cc]ustomer |[Aa]ccount )?[Nn]ame|[Rr]ecipient|[Cc]ardholder)"
    rf"[*]{{0,2}}[ \t]*[:|][ \t|]*({_PART}(?:[ ]{_PART}){{0,3}})(?=[ \t]*(?:[|,;]|$))",
    re.MULTILINE,
)
_GREETED: Final = re.compile(rf"^(?:Dear|Hi|Hello)[ ](?:{_TITLE}[ ])?({_WORD}(?:[ ]{_WORD})?)(?=,)", re.MULTILINE)
# Who a letter is from, and who a parcel goes to: the number of a house tells such a field from one that names a country.
_SIGNED: Final = re.compile(
    r"(?:\b(?:[Ss]incerely|[Rr]egards|[Yy]ours (?:truly|faithfully)),?[ \t]*\n|^[ \t>*|-]*[Ss]ign(?:ed|ature)(?: by)?[*]{0,2}[ \t]*[:|])"
    rf"[ \t>]*({_PART}(?:[ ]{_PART}){{1,3}})(?=[ \t]*(?:[|,;]|$))",
    re.MULTILINE,
)
_SENT: Final = re.compile(
    r"(?:^|[|;])[ \t>*-]*(?:(?:[Ss]hip|[Dd]eliver|[Bb]ill)(?:ped|ed)? to|(?:[Ss]hipping|[Dd]elivery|[Bb]illing) address)[*]{0,2}[ \t]*[:|]"
    rf"[ \t]*({_PART}(?:[ ]{_PART}){{1,3}})(?=,?\s+\d{{1,6}}[A-Za-z]?\s[A-Z])",
    re.MULTILINE,
)
_OTHER_WORDS: Final = """
    all customer customers sir madam team user users member members support there everyone friend friends colleague
    colleagues github required optional yes no none unknown the this our your not an company business product applicant
    seller buyer merchant client guest account page document section chinese english american european chief executive
    officer director manager president vice secretary head general managing office department store shop
"""
_NO_NAMES: Final = frozenset(_OTHER_WORDS.split())
_SURE_WORDS: Final = 2

_STREET_WORD: Final = (
    r"(?:[A-Z\u00c0-\u017e][\w.'’-]*(?!:)|\d[\w/-]*|de|du|da|do|of|la|van|der|u\.|ul\.|utca|út|tér|#\w+)"
)
_BREAK: Final = r"[ ,.>?\n]{1,6}"
_POSTCODE_END: Final = rf"(?:(?:{_BREAK}{_STREET_WORD}){{0,8}}?{_BREAK}\d{{4,6}}\b)"
# What is counted so is no house: 12 countries, 50 States.
_COUNTED: Final = r"(?!\W+(?:\w+\W+)?(?i:countries|states|regions|stores|minutes|hours|days|weeks|months|items|orders|customers|addresses)\b)"
_STREET: Final = re.compile(
    r"(?:\b(?:my|his|her|new|home|billing|shipping|mailing|delivery|postal|secondary|primary)\s(?:\w+\s)?address"
    r"(?:\s+\w+){0,6}?|\baddress:|\b(?:I|he|she|who|now|we)?\s?(?:lives?|reside[sd]?|moved)\s(?:in|at|on|to)"
    r"|\b[Ss]hip(?:ped)?\s+(?:it\s+)?to|\b[Dd]eliver(?:ed)?\s+(?:it\s+)?to|\b[Ss]end\s+(?:\w+\s+){0,3}to|\bsent\s+to)"
    rf"(?:\s+(?:is|to|with|at))?[\s:>]+(?:{_PART}(?:[ ]{_PART}){{1,3}},?\s+)?(\d{{1,6}}[A-Za-z]?{_COUNTED}{_BREAK}{_STREET_WORD}(?:{_POSTCODE_END}|(?:{_BREAK}{_STREET_WORD}){{1,8}}))",
)
# A suite may be an office; a flat is somebody's home.
_HOME: Final = re.compile(
    rf"(?<![\w/])(\d{{1,6}}(?:{_BREAK}{_STREET_WORD}){{1,8}}?{_BREAK}(?:Apt|Apartment|Flat)\.?\s?\d{{1,5}}\b{_POSTCODE_END}?)"
)
_MILITARY: Final = re.compile(r"\b((?:PSC|Unit|USS|USNS|USNV|USCGC) [\w, ]{3,24}\s+[ADF]PO A[AEP] \d{5})\b")
_LETTERS: Final = re.compile(r"[^\W\d_]{3}")


def _name(match: re.Match[str], fewest: int) -> Span | None:
    """Take the words that are written like names; a sentence goes on in small letters."""
    start, end, words = match.start(1), match.start(1), 0
    for word in re.finditer(r"\S+", match.group(1)):
        if not _is_name_like(word.group()):
            break
        end, words = start + word.end(), words + 1
    return (start, end) if words >= fewest else None


def _is_name_like(word: str) -> bool:
    is_acronym = word.isupper() and not word.endswith(".")
    return word[0].isupper() and not is_acronym and word[-2:] not in ("'s", "’s") and word.lower() not in _NO_NAMES


def _sure(match: re.Match[str]) -> Span | None:
    return _name(match, 1)


def _likely(match: re.Match[str]) -> Span | None:
    # "I am Happy" and "Name: Required" are no names; two such words in a row nearly always are.
    return _name(match, 1 if "name is" in match.group() else _SURE_WORDS)


def _street(match: re.Match[str]) -> Span | None:
    written = match.group(1)
    if not _LETTERS.search(written) or speaks_of_a_company(match.string, match.start(1)):
        return None
    return match.start(1), match.start(1) + len(written.rstrip(" ,.>\n"))


def english_person_recognizers() -> list[RuleRecognizer]:
    """Make the recognisers of this module."""
    return [
        RuleRecognizer("PERSON", _TITLED, _sure, hint=ENGLISH),
        RuleRecognizer("PERSON", _TOLD, _likely, hint=ENGLISH),
        RuleRecognizer("PERSON", _LABELLED, _likely, hint=ENGLISH),
        RuleRecognizer("PERSON", _GREETED, _sure, hint=ENGLISH),
        *(RuleRecognizer("PERSON", pattern, _likely, hint=ENGLISH) for pattern in (_SIGNED, _SENT)),
        *(RuleRecognizer("ADDRESS", pattern, _street) for pattern in (_STREET, _HOME, _MILITARY)),
    ]
