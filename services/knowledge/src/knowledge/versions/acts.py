"""What members of staff do to knowledge, as the audit trail names it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from contracts.ids import printed

Act = Literal[
    "IMPORT_OPENED",
    "IMPORT_STARTED",
    "IMPORT_DISCARDED",
    "IMPORT_FAILED",
    "VERSION_STAGED",
    "VERSION_EVALUATED",
    "VERSION_APPROVED",
    "VERSION_PUBLISHED",
    "VERSION_ROLLED_BACK",
    "VERSION_DISCARDED",
    "DOCUMENT_WITHDRAWN",
    "DOCUMENT_RESTORED",
    "CONFLICT_DISMISSED",
    "CONFLICT_RESTORED",
    "MASK_ALLOWED",
    "MASK_ALLOWANCE_ENDED",
    "ORIGINAL_FETCHED",
    "ORIGINAL_DELETED",
    "NOTICE_RESENT",
    "GOLDEN_CASE_ADDED",
    "GOLDEN_CASE_RETIRED",
    "THRESHOLDS_SET",
    "EVALUATION_STARTED",
    "EVALUATION_ENDED",
    "QUESTION_READ",
]
Fact = str | int | bool | None | list[str]
"""What an event may tell: ids, numbers, codes. Never a customer's text, never the value of personal data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Acting:
    """Who acts: for a step of a worker, whoever started it, without roles."""

    tenant: str
    actor: str
    roles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEvent:
    """An act as the trail keeps it. `number` grows with time."""

    number: int
    at: datetime
    actor: str
    roles: tuple[str, ...]
    act: str
    subject: str
    detail: Mapping[str, Fact]


def import_subject(import_id: UUID) -> str:
    """Name an import in the trail."""
    return f"import:{printed('job', import_id)}"


def version_subject(number: int) -> str:
    """Name a version in the trail."""
    return f"version:{number}"


def document_subject(slug: str) -> str:
    """Name a document in the trail."""
    return f"document:{slug}"


def revision_subject(revision_id: UUID) -> str:
    """Name a revision in the trail."""
    return f"revision:{printed('rev', revision_id)}"


def case_subject(case_id: str) -> str:
    """Name a golden case in the trail."""
    return f"case:{case_id}"
