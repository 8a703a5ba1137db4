"""Offer a way on where the same question came to nothing twice: its parts one by one, and a person."""

import re
from collections.abc import Mapping
from typing import Final

from contracts.answers import Suggestion
from contracts.reasons import Language

_MOST_PARTS: Final = 3
_LONGEST_LABEL: Final = 80
_ASKED: Final = re.compile(r"[^。！？!?；;\n]+[？?]+")
# Whoever has no answer cannot hand one over: this question is the way to a person that is always open.
_PERSON: Final[Mapping[Language, Suggestion]] = {
    "zh": Suggestion(label="联系人工客服", question="我要转人工客服。", facts={}),
    "en": Suggestion(label="Talk to a person", question="I want to talk to a person.", facts={}),
}


def next_questions(question: str, language: Language) -> tuple[Suggestion, ...]:
    """Give what to ask after a question that failed or was refused twice; never empty."""
    parts = tuple(dict.fromkeys(match.group().strip() for match in _ASKED.finditer(question)))
    asked = parts if 1 < len(parts) <= _MOST_PARTS else ()
    return (*(Suggestion(label=part[:_LONGEST_LABEL], question=part, facts={}) for part in asked), _PERSON[language])
