"""Recognises numbers by their form and check digit: identity cards, bank cards, plates.

Source: the check digit of a Chinese identity number is ISO 7064 MOD 11-2 (GB 11643), the letters of a plate are those of GA 36, which has neither I nor O.
"""

import re
from datetime import date
from typing import Final

from presidio_analyzer import EntityRecognizer, Pattern
from presidio_analyzer.predefined_recognizers import (
    CreditCardRecognizer,
    IbanRecognizer,
    NhsRecognizer,
    UkNinoRecognizer,
    UsItinRecognizer,
    UsSsnRecognizer,
)

from personal_data.rule_recognizer import LANGUAGE, RuleRecognizer, Span
from personal_data.surroundings import before

_IDENTITY: Final = re.compile(r"(?<![0-9A-Za-z])[1-9]\d{5}[ -]?\d{8}[ -]?\d{3}[\dXx](?![0-9A-Za-z])")
# Visa, Mastercard, American Express, Diners, JCB, Maestro and Discover, UnionPay.
_CARD: Final = r"(?<![0-9A-Za-z.-])(?=[46]|5\d|2[2-7]|3[04-9]|1800|2131)\d(?:[ -]?\d){12,18}(?![0-9A-Za-z-])"
# A card of twelve digits is too much like any other number to be told without a word for it.
_SHORT_CARD: Final = r"(?<![0-9A-Za-z.-])(?=5[06-8]|6)\d(?:[ -]?\d){11}(?![0-9A-Za-z-])"
_WEAK: Final = 0.3
_PASSPORT: Final = re.compile(
    r"(?:护照|通行证|passport)[^\n\d]{0,16}?(?<![A-Za-z])([A-Z]{0,2}\d{7,9})(?!\d)", re.IGNORECASE
)
_DRIVER_LICENCE: Final = re.compile(
    r"(?:驾驶?证|driv(?:er['’]?s?|ing) licen[cs]e)[^\n\d]{0,24}?(?<![A-Za-z])([A-Z]{0,2}\d[\d-]{4,18}[0-9A-Z])",
    re.IGNORECASE,
)
_PLATE: Final = re.compile(
    r"[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][A-HJ-NP-Z][·•. -]?"
    r"[A-HJ-NP-Z0-9]{4,5}[A-HJ-NP-Z0-9挂学警港澳](?![0-9A-Za-z])",
    re.IGNORECASE,
)
_CAR: Final = re.compile(r"车|号牌|牌照")
_CAR_REACH: Final = 10


def _identity(match: re.Match[str]) -> Span | None:
    number = re.sub("[ -]", "", match.group())
    try:
        date(int(number[6:10]), int(number[10:12]), int(number[12:14]))
    except ValueError:
        return None
    total = sum(int(digit) * (1 << (17 - place)) for place, digit in enumerate(number[:17]))
    return match.span() if "10X98765432"[total % 11] == number[17].upper() else None


def _told(match: re.Match[str]) -> Span:
    return match.span(1)


def _plate(match: re.Match[str]) -> Span | None:
    # Letters alone may be a product's name after a word that ends like a province.
    after = match.string[match.end() : match.end() + _CAR_REACH]
    near = before(match.string, match.start(), _CAR_REACH) + after
    return match.span() if re.search(r"\d", match.group()) or _CAR.search(near) else None


def number_recognizers() -> list[EntityRecognizer]:
    """Make the recognisers of this module."""
    return [
        RuleRecognizer("CN_ID_CARD", _IDENTITY, _identity),
        # Presidio checks the Luhn digit; its own pattern knows neither UnionPay nor the newer Mastercard numbers.
        CreditCardRecognizer([Pattern("issuer", _CARD, _WEAK)], supported_language=LANGUAGE),
        CreditCardRecognizer(
            [Pattern("Maestro", _SHORT_CARD, _WEAK)],
            context=["card", "卡"],
            supported_language=LANGUAGE,
            supported_entity="SHORT_CARD",
        ),
        IbanRecognizer(supported_language=LANGUAGE),
        UsSsnRecognizer(supported_language=LANGUAGE, context=["ssn", "social security"]),
        UsItinRecognizer(supported_language=LANGUAGE, context=["itin", "taxpayer"]),
        UkNinoRecognizer(supported_language=LANGUAGE),
        NhsRecognizer(supported_language=LANGUAGE, context=["nhs", "national health service"]),
        RuleRecognizer("PASSPORT", _PASSPORT, _told),
        RuleRecognizer("DRIVER_LICENCE", _DRIVER_LICENCE, _told),
        RuleRecognizer("CN_PLATE", _PLATE, _plate),
    ]
