"""Hold a judgement beside the attempt it judged, and which of them staff want to see."""

from dataclasses import dataclass
from datetime import datetime

from contracts.model import Outgoing
from contracts.reasons import Rating


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which judgements are asked for; what is None does not matter."""

    rating: Rating | None = None
    reason_code: str | None = None
    knowledge_version: int | None = None
    document: str | None = None
    area: str | None = None
    channel: str | None = None
    since: datetime | None = None
    until: datetime | None = None


class Judgement(Outgoing):
    """A judgement beside the attempt it judged. `documents` and `areas` are what the answer cites."""

    attempt_id: str
    conversation_id: str
    rating: Rating
    reason_code: str | None
    comment: str | None
    judged_at: datetime
    corrected_at: datetime | None
    question: str
    answer: str
    refusal_code: str | None
    knowledge_version: int | None
    documents: tuple[str, ...]
    areas: tuple[str, ...]
    channel: str
    language: str
    asked_at: datetime
