"""Compare how an attempt ended here with what knowledge's own log says.

A result that was shown must stand in knowledge's log as it was shown: anything else is a difference. A failure here
beside a result there is explained: the result came too late, or to nobody, and no customer has seen it.
"""

from typing import Literal

from bff.attempts.attempt import Attempt, Completed, Failed
from contracts.answers import Outcome

Agreement = Literal["agreed", "explained", "different"]


def compare(attempt: Attempt, logged: Completed | Failed) -> Agreement:
    """Say whether a closed attempt and its log agree."""
    if attempt.outcome is None:
        same_failure = isinstance(logged, Failed) and logged.code is attempt.failure_code
        return "agreed" if same_failure else "explained"
    if isinstance(logged, Failed):
        return "different"
    is_same = (
        _said(attempt.outcome) == _said(logged.outcome)
        and attempt.citations == logged.citations
        and attempt.knowledge_version == logged.knowledge_version
    )
    return "agreed" if is_same else "different"


def _said(outcome: Outcome) -> Outcome:
    """Leave out how urgent a person is: bff raises that by what came before."""
    return outcome.model_copy(update={"handoff": "none"})
