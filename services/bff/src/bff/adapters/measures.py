"""Count what happens to attempts and escalations. Labels come from closed sets; channels from the tenants file."""

from prometheus_client import Counter, Gauge

from bff.attempts.attempt import Attempt, Completed, Failed
from bff.escalations.escalation import Origin

_ATTEMPTS = Counter("youju_attempts_total", "Attempts by how they ended", ["outcome", "reason", "channel"])
_OPENED = Counter("youju_attempt_opens_total", "Attempts opened, and streams attached to again", ["kind", "channel"])
_RUNNING = Gauge("youju_attempts_running", "Attempts this process runs now")
_FEEDBACK = Counter("youju_feedback_total", "Judgements by rating and reason", ["rating", "reason"])
_ESCALATIONS = Counter("youju_escalations_total", "Wishes for a person", ["origin", "result"])


def count_outcome(attempt: Attempt, result: Completed | Failed | None) -> None:
    """Count how an attempt ended; `lost` when somebody else ended it."""
    _ATTEMPTS.labels(*_labels(result), attempt.channel).inc()


def count_open(kind: str, channel: str) -> None:
    """Count an ask, a retry, a repeat of either, or a reattachment to a stream."""
    _OPENED.labels(kind, channel).inc()


def show_running(count: int) -> None:
    """Show how many attempts this process runs."""
    _RUNNING.set(count)


def count_feedback(rating: str, reason: str | None) -> None:
    """Count a judgement."""
    _FEEDBACK.labels(rating, reason or "none").inc()


def count_escalation(origin: Origin, *, is_new: bool) -> None:
    """Count a wish for a person, and whether it opened an escalation."""
    _ESCALATIONS.labels(origin, "opened" if is_new else "existing").inc()


def _labels(result: Completed | Failed | None) -> tuple[str, str]:
    match result:
        case None:
            return "lost", "none"
        case Failed():
            return "failed", result.code.value
        case Completed():
            reason = result.outcome.reason_code
            return ("answered", "none") if reason is None else ("refused", reason.value)
