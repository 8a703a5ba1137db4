"""Compare how an attempt ended here with what knowledge's own log says.

A result that was shown must stand in knowledge's log as it was shown: anything else is a difference. A failure here
beside a result there is explained: the result came too late, or to nobody, and no customer has seen it.
"""

from typing import Literal

from bff.attempts.attempt import Attempt, Completed, Failed
from bff.attempts.suggesting import next_questions
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
        _said(attempt, attempt.outcome) == _said(attempt, logged.outcome)
        and attempt.citations == logged.citations
        and attempt.knowledge_version == logged.knowledge_version
    )
    return "agreed" if is_same else "different"


def _said(attempt: Attempt, outcome: Outcome) -> Outcome:
    """Leave out what bff adds by what came before: how urgent a person is, and what to ask where knowledge knew nothing."""
    added = next_questions(attempt.question, attempt.language)
    suggestions = () if outcome.suggestions == added else outcome.suggestions
    return outcome.model_copy(update={"handoff": "none", "suggestions": suggestions})
