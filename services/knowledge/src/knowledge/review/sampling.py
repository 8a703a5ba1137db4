"""Decide at the end of an attempt whether a person should look at it."""

import hashlib
from typing import Final
from uuid import UUID

from contracts.reasons import FailureCode
from contracts.tenants import ReviewSampling
from knowledge.answering.log import Closing
from knowledge.review.item import ReviewReason

_SPAN: Final = 1 << 32


def reasons_of(attempt_id: UUID, closing: Closing, sampling: ReviewSampling) -> tuple[ReviewReason, ...]:
    """Name why a person should look at an attempt that has just ended; nothing for most of them."""
    reasons: list[ReviewReason] = []
    if _failed_validation(closing):
        reasons.append(ReviewReason.VALIDATION_FAILED)
    if _is_sampled(attempt_id, _share(closing, sampling)):
        reasons.append(ReviewReason.LOW_STRENGTH)
    return tuple(reasons)


def _failed_validation(closing: Closing) -> bool:
    return closing.failure is FailureCode.VALIDATION_FAILED or any(draft.faults for draft in closing.drafts)


def _share(closing: Closing, sampling: ReviewSampling) -> float:
    """Say which share of attempts like this one is looked at.

    A question that no policy comes near is refused with low strength, and there is nothing to review in that; one that
    was refused although a policy came near may have deserved an answer.
    """
    outcome = closing.outcome
    if outcome is None or closing.strength is None or closing.strength == "high":
        return 0.0
    if closing.strength == "medium":
        return sampling.medium
    return 0.0 if outcome.refused else sampling.low


def _is_sampled(attempt_id: UUID, share: float) -> bool:
    """Draw by the attempt's id, so that whoever asks again draws the same."""
    drawn = int.from_bytes(hashlib.sha256(attempt_id.bytes).digest()[:4], "big")
    return drawn < share * _SPAN
