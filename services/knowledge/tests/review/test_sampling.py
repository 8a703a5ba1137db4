"""Which ended attempts a person should look at."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from contracts.answers import Outcome
from contracts.reasons import EvidenceStrength, FailureCode, RefusalReason
from contracts.tenants import ReviewSampling
from knowledge.answering.log import Closing, LoggedDraft, LoggedFault
from knowledge.review.item import ReviewReason
from knowledge.review.sampling import reasons_of

pytestmark = pytest.mark.unit

WEAK, FAULTY = ReviewReason.LOW_STRENGTH, ReviewReason.VALIDATION_FAILED
ALL = ReviewSampling(low=1, medium=1)
NONE = ReviewSampling(low=0, medium=0)


def outcome(*, refused: bool) -> Outcome:
    return Outcome(
        answer="" if refused else "可以。",
        parts=(),
        coverage="none" if refused else "full",
        refused=refused,
        refusal_reason="没有找到依据。" if refused else None,
        reason_code=RefusalReason.NO_AUTHORIZED_EVIDENCE if refused else None,
        missing_facts=(),
        handoff="none",
        suggestions=(),
    )


def closing(strength: EvidenceStrength | None, *, refused: bool = False) -> Closing:
    return Closing(
        outcome=outcome(refused=refused), failure=None, citations=(), cause=None, version=1, routing_policy=None,
        calibration={}, route=None, route_rule=None, strength=strength, read_as=(), lacking=(), context=(),
        candidates=(), drafts=(), stage_milliseconds={}, closed_at=datetime(2026, 7, 15, tzinfo=UTC),
    )  # fmt: skip


REJECTED = LoggedDraft(
    writer="openai", raw="…", claimed=(), trouble=None, usage=None,
    faults=(LoggedFault(code="ALTERED_QUOTE", part=None, citation=1, detail="…"),),
)  # fmt: skip


@pytest.mark.parametrize(
    ("ended", "sampling", "expected"),
    [
        (closing("low"), ALL, (WEAK,)),
        (closing("low"), NONE, ()),
        (closing("medium"), ALL, (WEAK,)),
        (closing("medium", refused=True), ALL, (WEAK,)),
        (closing("low", refused=True), ALL, ()),
        (closing("high"), ALL, ()),
        (closing(None, refused=True), ALL, ()),
        (replace(closing("high"), drafts=(REJECTED,)), NONE, (FAULTY,)),
        (replace(closing("medium"), drafts=(REJECTED,)), ALL, (FAULTY, WEAK)),
        (replace(closing("high"), outcome=None, failure=FailureCode.VALIDATION_FAILED), NONE, (FAULTY,)),
        (replace(closing("low"), outcome=None, failure=FailureCode.KNOWLEDGE_TIMEOUT), ALL, ()),
    ],
)
def test_doubtful_attempts_get_their_reasons(
    ended: Closing, sampling: ReviewSampling, expected: tuple[ReviewReason, ...]
) -> None:
    assert reasons_of(uuid4(), ended, sampling) == expected


def test_a_share_is_drawn_and_always_the_same() -> None:
    fifth = ReviewSampling(low=0.2, medium=0)
    ids = [uuid4() for _ in range(2_000)]

    drawn = [bool(reasons_of(each, closing("low"), fifth)) for each in ids]

    assert drawn == [bool(reasons_of(each, closing("low"), fifth)) for each in ids]
    assert 0.15 < sum(drawn) / len(drawn) < 0.25
