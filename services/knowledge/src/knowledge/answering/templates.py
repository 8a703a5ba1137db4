"""Holds every sentence of our own that may stand in an answer: reviewed once, written by no model."""

from datetime import date
from typing import Final, Literal

from contracts.reasons import Language

LeadIn = Literal["same", "other_language", "conditional"]

# An answer may be about an earlier day: what stands in front of its quotes says nothing of today.
LEAD_INS: Final[dict[tuple[LeadIn, Language], str]] = {
    ("same", "zh"): "我们的政策写明：",
    ("same", "en"): "Our policy says:",
    ("other_language", "zh"): "以下是英文政策原文：",
    ("other_language", "en"): "This is the text of our policy, which is written in Chinese:",
    ("conditional", "zh"): "我们无法核实您说明的情况；政策按不同情况写明：",
    ("conditional", "en"): "We cannot verify what you told us; for each case the policy says:",
}
ABOUT: Final[dict[Language, str]] = {
    "zh": "关于“{question_part}”：",
    "en": "About “{question_part}”:",
}
NOT_COVERED: Final[dict[Language, str]] = {
    "zh": "关于“{question_part}”，我们没有找到足以回答的依据。",
    "en": "About “{question_part}”, we could not find anything sufficient to answer from.",
}
_AS_OF: Final[dict[Language, str]] = {
    "zh": "以下回答以 {day} 有效的政策为准。",
    "en": "This answer follows the policies in force on {day}.",
}

# Logged answers begin so; they are replayed with the catalogue of today.
_EARLIER: Final = ("现行政策写明：", "Our current policy says:")

TEMPLATES: Final = frozenset({*_EARLIER, *LEAD_INS.values(), *ABOUT.values(), *NOT_COVERED.values()})


def as_of_note(day: date, language: Language) -> str:
    """Say on which day the policies quoted are in force: the first sentence of an answer about another day."""
    return _AS_OF[language].format(day=day.isoformat())
