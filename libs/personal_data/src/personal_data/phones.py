"""Recognises telephone numbers that a person may own. What may stay: docs/decisions, records 0011 and 0015."""

import re
from typing import Final

from phonenumbers import NumberParseException, PhoneNumber, PhoneNumberType, is_valid_number, number_type, parse

from personal_data.rule_recognizer import CHINESE, RuleRecognizer, Span
from personal_data.surroundings import before, speaks_of_a_company, speaks_of_a_person

_MOBILE: Final = re.compile(r"(?<![0-9A-Za-z.￥¥$€£])(?:\+?86[- ]?)?1[3-9]\d(?:[ -]?\d{4}){2}(?![0-9A-Za-z]|\.\d)")
_CANDIDATE: Final = re.compile(
    r"(?<![\w./#-])(?<!\d,)(?:\+|00)?\(?\d(?:[ .()-]{0,2}\d){6,16}(?:\s?(?:x|ext\.?)\s?\d{1,5})?(?![0-9A-Za-z/%°])",
    re.IGNORECASE,
)
_EXTENSION: Final = re.compile(r"\s?(?:x|ext).*$", re.IGNORECASE)
_AMERICAN: Final = re.compile(r"(?:1[-. ])?(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}")
_DATE: Final = re.compile(r"(?:19|20)\d\d([-./ ]?)\d{1,2}\1\d{1,2}(?!\d{3})|\d{1,2}([-./])\d{1,2}\2(?:19|20)\d\d$")
_CHINESE_LANDLINE: Final = re.compile(r"\(?0\d{1,3}\)?[- ]?\d{7,8}$")
_CHINESE_HOTLINE: Final = re.compile(r"[48]00[- ]?\d{3}[- ]?\d{4}$|[48]00[- ]?\d{4}[- ]?\d{3}$")
_FEWEST, _MOST = 7, 15

# Such words right before a number make it a telephone number, whatever its grouping.
_ANNOUNCED: Final = re.compile(
    r"(?:\b(?:(?:tele|cell)?phone|mobile|cell|tel|fax|desk|whats ?app|sms|call(?:s|ed|ing)?|text(?:ed)?|reach(?:ed)?|dial"
    r"|ring|contact|messages?|answering|registered|voicemail)\b"
    r"(?:\s+(?:me|him|her|them|us|back|number|no|is|was|at|on|to|with|my|mobile|phone|under|directly))*"
    r"|\b(?:my|his|her|their|your)\s(?:(?:new|old|other)\s)?number(?:\s(?:is|was|at|to|home|work))*"
    r"|电话|手机号?码?|座机|传真|号码|联系方式|致电|拨打|微信)[\s:：.#是为（(]{0,4}$",
    re.IGNORECASE,
)
_NAMED_AFTER: Final = re.compile(r"[\s\-–(]{0,3}(?:office|fax|mobile|cell|home|work|desk)\b", re.IGNORECASE)
_PRIVATE: Final = frozenset(
    {
        PhoneNumberType.MOBILE,
        PhoneNumberType.PERSONAL_NUMBER,
        PhoneNumberType.PAGER,
        PhoneNumberType.VOIP,
    }
)
_OF_COMPANIES: Final = frozenset(
    {
        PhoneNumberType.TOLL_FREE,
        PhoneNumberType.PREMIUM_RATE,
        PhoneNumberType.SHARED_COST,
        PhoneNumberType.UAN,
    }
)


def _chinese_mobile(match: re.Match[str]) -> Span:
    return match.span()


def _phone(match: re.Match[str]) -> Span | None:
    is_inside = match.group()[0] == "(" and ")" not in match.group()
    written = _EXTENSION.sub("", match.group()[is_inside:])
    if not _FEWEST <= sum(character.isdigit() for character in written) <= _MOST:
        return None
    if _DATE.match(written) or _CHINESE_HOTLINE.match(written):
        return None
    if not _is_personal(match, written, _parsed(written)):
        return None
    return match.start() + is_inside, match.end()


def _is_personal(match: re.Match[str], written: str, number: PhoneNumber | None) -> bool:
    line = number_type(number) if number is not None else PhoneNumberType.UNKNOWN
    if line in _OF_COMPANIES:
        return False
    if line in _PRIVATE:
        return True
    text, start = match.string, match.start()
    if line == PhoneNumberType.FIXED_LINE or (_CHINESE_LANDLINE.match(written) and CHINESE.search(before(text, start))):
        return speaks_of_a_person(text, start) or _is_in_a_signature(match)
    if speaks_of_a_company(text, start):
        return False
    return line == PhoneNumberType.FIXED_LINE_OR_MOBILE or _is_announced(match)


def _is_announced(match: re.Match[str]) -> bool:
    return _ANNOUNCED.search(before(match.string, match.start())) is not None or _is_in_a_signature(match)


def _is_in_a_signature(match: re.Match[str]) -> bool:
    return _NAMED_AFTER.match(match.string, match.end()) is not None


def _parsed(written: str) -> PhoneNumber | None:
    """Parse a number that says its country, or has the American grouping; any other may be any number."""
    international = written.startswith(("+", "00"))
    if not international and not _AMERICAN.fullmatch(written):
        return None
    try:
        number = parse(f"+{written[2:]}" if written.startswith("00") else written, None if international else "US")
    except NumberParseException:
        return None
    return number if is_valid_number(number) else None


def phone_recognizers() -> list[RuleRecognizer]:
    """Make the recognisers of this module."""
    return [
        RuleRecognizer("PHONE_NUMBER", _MOBILE, _chinese_mobile),
        RuleRecognizer("PHONE_NUMBER", _CANDIDATE, _phone),
    ]
