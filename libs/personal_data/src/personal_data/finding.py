"""Finds personal data with presidio's recognisers and ours, in one registry that is built once a process.

The recognisers are called one by one: presidio's engine would run a linguistic pipeline that none of them reads.
"""

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from presidio_analyzer import EntityRecognizer, PatternRecognizer, RecognizerRegistry, RecognizerResult

from personal_data.chinese_addresses import chinese_address_recognizers
from personal_data.chinese_names import chinese_name_recognizers
from personal_data.english_persons import english_person_recognizers
from personal_data.mailboxes import mailbox_recognizers
from personal_data.numbers import number_recognizers
from personal_data.phones import phone_recognizers
from personal_data.rule_recognizer import LANGUAGE, NUMBER, RuleRecognizer
from personal_data.surroundings import before, names_a_thing

KINDS: Final = {
    "CN_ID_CARD": "id-card",
    "CREDIT_CARD": "bank-card",
    "SHORT_CARD": "bank-card",
    "PHONE_NUMBER": "phone",
    "EMAIL_ADDRESS": "email",
    "IBAN_CODE": "iban",
    "US_SSN": "social-security",
    "US_ITIN": "social-security",
    "UK_NINO": "social-security",
    "UK_NHS": "social-security",
    "PASSPORT": "passport",
    "DRIVER_LICENCE": "driver-licence",
    "CN_PLATE": "plate",
    "ADDRESS": "address",
    "PERSON": "name",
}
_NUMBERS: Final = frozenset({"CREDIT_CARD", "SHORT_CARD", "PHONE_NUMBER", "US_SSN", "US_ITIN", "UK_NHS"})
# One in eleven or ten of all numbers of that length passes the check.
_ONLY_IN_CONTEXT: Final = frozenset({"UK_NHS", "SHORT_CARD"})
_SURE: Final = 0.5
_CONTEXT_REACH: Final = 40

_LINK: Final = re.compile(r"https?://[^\s)>\"'，。；、]+")
# Full-width characters, and dashes and spaces that typography puts into numbers, each for one plain character.
_PLAIN: Final = {
    **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)},
    **dict.fromkeys([0x3000, 0xA0, 0x2002, 0x2003, 0x2007, 0x2009, 0x202F], 0x20),
    **dict.fromkeys([0x2010, 0x2011, 0x2012, 0x2013, 0x2212], 0x2D),
}
_WIDE: Final = re.compile("[０-９Ａ-Ｚａ-ｚ＠＋\u3000\u00a0\u2002\u2003\u2007\u2009\u202f\u2010-\u2013\u2212]")


@dataclass(frozen=True, slots=True)
class Found:
    """Personal data of a kind at a place in a text."""

    kind: str
    start: int
    end: int


def find_personal_data(text: str) -> list[Found]:
    """Find personal data. Shapes: in order, without overlap; of two that overlap the earlier, then the longer one."""
    plain = text.translate(_PLAIN) if _WIDE.search(text) else text
    links = [match.span() for match in _LINK.finditer(plain)]
    found = sorted(_candidates(plain), key=lambda each: (each.start, -each.end))
    kept: list[Found] = []
    for each in found:
        is_free = not kept or each.start >= kept[-1].end
        if is_free and not any(start <= each.start < end for start, end in links):
            kept.append(each)
    return kept


@cache
def _recognizers() -> tuple[tuple[PatternRecognizer | RuleRecognizer, re.Pattern[str]], ...]:
    """Give every recogniser, and what a text must hold at the least to be worth its patterns."""
    # What it cannot check it would log as it reads it.
    logging.getLogger("presidio-analyzer").disabled = True
    registry = RecognizerRegistry(
        [
            *number_recognizers(),
            *mailbox_recognizers(),
            *phone_recognizers(),
            *chinese_address_recognizers(),
            *chinese_name_recognizers(),
            *english_person_recognizers(),
        ],
        supported_languages=[LANGUAGE],
    )
    chosen = registry.get_recognizers(language=LANGUAGE, all_fields=True)
    mine = (each for each in chosen if isinstance(each, PatternRecognizer | RuleRecognizer))
    return tuple((each, each.hint if isinstance(each, RuleRecognizer) else NUMBER) for each in mine)


def _candidates(text: str) -> Iterator[Found]:
    hints: dict[re.Pattern[str], bool] = {}
    for recognizer, hint in _recognizers():
        if hint not in hints:
            hints[hint] = hint.search(text) is not None
        if hints[hint]:
            for result in recognizer.analyze(text, recognizer.supported_entities):
                if _holds(text, result, recognizer):
                    yield Found(KINDS[result.entity_type], result.start, result.end)


def _holds(text: str, result: RecognizerResult, recognizer: EntityRecognizer) -> bool:
    if result.entity_type in _NUMBERS and names_a_thing(text, result.start):
        return False
    if result.score >= _SURE and result.entity_type not in _ONLY_IN_CONTEXT:
        return True
    window = before(text, result.start, _CONTEXT_REACH).lower()
    return any(word in window for word in recognizer.context or ())
