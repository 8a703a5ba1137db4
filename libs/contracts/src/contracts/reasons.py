"""The closed lists that customers, dashboards and tickets share. Values are stable for ever."""

from enum import StrEnum
from typing import Literal


class RefusalReason(StrEnum):
    """Why we do not answer: public and stable."""

    NO_AUTHORIZED_EVIDENCE = "NO_AUTHORIZED_EVIDENCE"
    MISSING_BUSINESS_FACT = "MISSING_BUSINESS_FACT"
    CONFLICTING_POLICY = "CONFLICTING_POLICY"
    HUMAN_DECISION_REQUIRED = "HUMAN_DECISION_REQUIRED"
    ESCALATION_TOPIC = "ESCALATION_TOPIC"
    HUMAN_REQUESTED = "HUMAN_REQUESTED"


class RefusalCause(StrEnum):
    """What lies behind NO_AUTHORIZED_EVIDENCE: for staff only, never visible to a customer."""

    NOTHING_RETRIEVED = "NOTHING_RETRIEVED"
    BELOW_THRESHOLD = "BELOW_THRESHOLD"
    NOT_IN_FORCE = "NOT_IN_FORCE"
    FILTERED_BY_ACCESS = "FILTERED_BY_ACCESS"
    UNSUPPORTED_DRAFT = "UNSUPPORTED_DRAFT"


class FailureCode(StrEnum):
    """Why an attempt is FAILED: a technical fault, never a refusal."""

    KNOWLEDGE_UNAVAILABLE = "KNOWLEDGE_UNAVAILABLE"
    KNOWLEDGE_TIMEOUT = "KNOWLEDGE_TIMEOUT"
    KNOWLEDGE_ERROR = "KNOWLEDGE_ERROR"
    VALIDATION_FAILED = "VALIDATION_FAILED"
    EMPTY_STREAM = "EMPTY_STREAM"
    ABANDONED = "ABANDONED"
    CANCELLED = "CANCELLED"
    INTERNAL = "INTERNAL"


class FeedbackReason(StrEnum):
    """Why an answer did not help."""

    ANSWER_INCORRECT = "ANSWER_INCORRECT"
    ANSWER_INCOMPLETE = "ANSWER_INCOMPLETE"
    CITATION_IRRELEVANT = "CITATION_IRRELEVANT"
    HARD_TO_UNDERSTAND = "HARD_TO_UNDERSTAND"
    OUTDATED = "OUTDATED"
    DID_NOT_SOLVE = "DID_NOT_SOLVE"
    NEED_HUMAN = "NEED_HUMAN"


Handoff = Literal["none", "offered", "required"]
Coverage = Literal["full", "partial", "none"]
Language = Literal["zh", "en"]
AttemptStatus = Literal["PENDING", "COMPLETED", "FAILED"]
Rating = Literal["HELPFUL", "NOT_HELPFUL"]
EscalationStatus = Literal["REQUESTED", "TICKET_CREATED", "IN_PROGRESS", "SOLVED", "DELAYED"]
PartKind = Literal["statement", "template", "not_covered"]
EvidenceStrength = Literal["high", "medium", "low"]

RETRYABLE_FAILURES = frozenset(
    {
        FailureCode.KNOWLEDGE_UNAVAILABLE,
        FailureCode.KNOWLEDGE_TIMEOUT,
        FailureCode.KNOWLEDGE_ERROR,
        FailureCode.VALIDATION_FAILED,
        FailureCode.EMPTY_STREAM,
        FailureCode.ABANDONED,
        FailureCode.INTERNAL,
    }
)
