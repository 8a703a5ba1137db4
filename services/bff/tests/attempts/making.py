"""Make attempts and results for tests of pure code."""

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from bff.attempts.attempt import Attempt, Completed
from contracts.answers import Outcome
from contracts.reasons import Handoff, RefusalReason
from services.bff.tests.fake_knowledge import citation

ATTEMPT_ID = UUID("01a22913-fc6c-7fc5-b7a8-c42176d8d3e7")
CONVERSATION_ID = UUID("01a22913-fc49-7d1d-9303-720d2b5f19dc")
MOMENT = datetime(2026, 11, 29, 20, tzinfo=UTC)


def make_attempt(**changes: Any) -> Attempt:  # any field of an attempt
    attempt = Attempt(
        attempt_id=ATTEMPT_ID,
        tenant="demo",
        customer="cus_1",
        channel="web",
        conversation_id=CONVERSATION_ID,
        retry_of_attempt_id=None,
        lineage_id=ATTEMPT_ID,
        status="PENDING",
        question="能退吗？",
        language="zh",
        as_of=date(2026, 11, 29),
        asked_at=MOMENT,
        segments=("public",),
        facts={},
        typed_facts={},
        trace_id="0" * 32,
        knowledge_version=None,
        outcome=None,
        citations=(),
        events=None,
        failure_code=None,
        handoff="none",
        request_hash=None,
        created_at=MOMENT,
        completed_at=None,
    )
    return replace(attempt, **changes)


def make_refusal(handoff: Handoff = "offered") -> Completed:
    outcome = Outcome(
        answer="没有依据。",
        parts=(),
        coverage="none",
        refused=True,
        refusal_reason="没有依据。",
        reason_code=RefusalReason.NO_AUTHORIZED_EVIDENCE,
        missing_facts=(),
        handoff=handoff,
        suggestions=(),
    )
    return Completed(outcome=outcome, citations=(), knowledge_version=7)


def make_answer(handoff: Handoff = "none") -> Completed:
    outcome = Outcome(
        answer="",
        parts=(),
        coverage="full",
        refused=False,
        refusal_reason=None,
        reason_code=None,
        missing_facts=(),
        handoff=handoff,
        suggestions=(),
    )
    return Completed(outcome=outcome, citations=(citation(1), citation(2)), knowledge_version=7)
