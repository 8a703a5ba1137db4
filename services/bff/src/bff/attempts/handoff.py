"""Raise the handoff that knowledge proposed, from what happened before in the conversation. It is never lowered.

Where it rises, suggestions are there as well: knowledge's own, or else ours.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from bff.attempts.attempt import Attempt, Completed, Failed, Turn
from bff.attempts.suggesting import next_questions
from contracts.answers import Outcome
from contracts.reasons import FailureCode, Handoff

_RAISED: Final[Mapping[Handoff, Handoff]] = {"none": "offered", "offered": "required", "required": "required"}


def with_raised_handoff(result: Completed | Failed, attempt: Attempt, history: tuple[Turn, ...]) -> Completed | Failed:
    """Raise the handoff by one step after two refusals or two equal failures in a row. `history` is newest first."""
    if isinstance(result, Failed):
        return _raised_failure(result, history)
    if _is_second_refusal(result, history) or _follows_equal_failures(history):
        return replace(result, outcome=_raised(result.outcome, attempt))
    return result


def _raised(outcome: Outcome, attempt: Attempt) -> Outcome:
    # Whoever has an answer needs no other question.
    is_empty = outcome.refused and not outcome.suggestions
    suggestions = next_questions(attempt.question, attempt.language) if is_empty else outcome.suggestions
    return outcome.model_copy(update={"handoff": _RAISED[outcome.handoff], "suggestions": suggestions})


def _raised_failure(result: Failed, history: tuple[Turn, ...]) -> Failed:
    if not history or history[0].failure_code is not result.code or result.code is FailureCode.CANCELLED:
        return result
    return Failed(code=result.code, retryable=result.retryable, handoff=_RAISED[result.handoff])


def _is_second_refusal(result: Completed, history: tuple[Turn, ...]) -> bool:
    return result.outcome.refused and bool(history) and history[0].refused


def _follows_equal_failures(history: tuple[Turn, ...]) -> bool:
    codes = [turn.failure_code for turn in history[:2]]
    return len(codes) == 2 and codes[0] == codes[1] and codes[0] not in (None, FailureCode.CANCELLED)  # noqa: PLR2004 - a pair
