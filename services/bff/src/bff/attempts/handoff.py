"""Raise the handoff that knowledge proposed, from what happened before in the conversation. It is never lowered."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from bff.attempts.attempt import Completed, Failed, Turn
from contracts.reasons import FailureCode, Handoff

_RAISED: Final[Mapping[Handoff, Handoff]] = {"none": "offered", "offered": "required", "required": "required"}


def with_raised_handoff(result: Completed | Failed, history: tuple[Turn, ...]) -> Completed | Failed:
    """Raise the handoff by one step after two refusals or two equal failures in a row. `history` is newest first."""
    if isinstance(result, Failed):
        return _raised_failure(result, history)
    if _is_second_refusal(result, history) or _follows_equal_failures(history):
        outcome = result.outcome.model_copy(update={"handoff": _RAISED[result.outcome.handoff]})
        return replace(result, outcome=outcome)
    return result


def _raised_failure(result: Failed, history: tuple[Turn, ...]) -> Failed:
    if not history or history[0].failure_code is not result.code or result.code is FailureCode.CANCELLED:
        return result
    return Failed(code=result.code, retryable=result.retryable, handoff=_RAISED[result.handoff])


def _is_second_refusal(result: Completed, history: tuple[Turn, ...]) -> bool:
    return result.outcome.refused and bool(history) and history[0].refused


def _follows_equal_failures(history: tuple[Turn, ...]) -> bool:
    codes = [turn.failure_code for turn in history[:2]]
    return len(codes) == 2 and codes[0] == codes[1] and codes[0] not in (None, FailureCode.CANCELLED)  # noqa: PLR2004 - a pair
