"""Count what happens to attempts, judgements, wishes for a person and citations, each beside what it is a part of.

Labels come from closed sets; channels from the tenants file, areas from the documents that answers cite.
"""

from typing import Final

from prometheus_client import Counter, Gauge

from bff.attempts.attempt import Attempt, Completed, Failed
from bff.attempts.retrying import EndedLineage
from bff.escalations.escalation import Origin
from bff.reconciliation.comparing import Agreement
from contracts.answers import CitedPassage
from contracts.customer import Feedback

_PLACE: Final = ["channel", "area"]
_ATTEMPTS = Counter("youju_attempts_total", "Attempts by how they ended", ["outcome", "reason", "channel"])
_OPENED = Counter("youju_attempt_opens_total", "Attempts opened, and streams attached to again", ["kind", "channel"])
_RUNNING = Gauge("youju_attempts_running", "Attempts this process runs now")
_FEEDBACK = Counter(
    "youju_feedback_total", "Judgements by rating and reason, corrections included", ["rating", "reason"]
)
_ELIGIBLE = Counter("youju_feedback_eligible_total", "Attempts that could be judged", _PLACE)
_GIVEN = Counter("youju_feedback_given_total", "Attempts that were judged, each once", [*_PLACE, "rating"])
_ESCALATIONS = Counter("youju_escalations_total", "Wishes for a person", ["origin", "result"])
_COMPLETED = Counter(
    "youju_escalation_eligible_total", "Attempts after which a person can be asked for", ["after", *_PLACE]
)
_ESCALATED = Counter("youju_escalated_total", "Escalations by what came before", ["after", "origin", *_PLACE])
_LINEAGES = Counter(
    "youju_retry_lineages_total", "Questions that were answered again, by how that ended", ["end", *_PLACE]
)
_SHOWN = Counter("youju_citations_shown_total", "Citations of answers", _PLACE)
_CITATIONS = Counter(
    "youju_citation_opens_total", "Citations that were opened; not how right they are", ["state", *_PLACE]
)
_COMPARED = Counter(
    "youju_attempts_compared_total", "Closed attempts compared with knowledge's log, by how that went", ["result"]
)

# Areas are written by owners; more of them than this make no chart.
_MOST_AREAS: Final = 64
_areas: set[str] = set()


def count_outcome(attempt: Attempt, result: Completed | Failed | None) -> None:
    """Count how an attempt ended; `lost` when somebody else ended it."""
    _ATTEMPTS.labels(*_labels(result), attempt.channel).inc()
    if isinstance(result, Completed):
        place = attempt.channel, area_of(result.areas)
        _ELIGIBLE.labels(*place).inc()
        _COMPLETED.labels("refusal" if result.outcome.refused else "answer", *place).inc()
        _SHOWN.labels(*place).inc(len(result.citations))


def count_open(kind: str, channel: str) -> None:
    """Count an ask, a retry, a repeat of either, or a reattachment to a stream."""
    _OPENED.labels(kind, channel).inc()


def show_running(count: int) -> None:
    """Show how many attempts this process runs."""
    _RUNNING.set(count)


def count_feedback(attempt: Attempt, feedback: Feedback, *, is_first: bool) -> None:
    """Count a judgement, and the attempt it is the first of."""
    _FEEDBACK.labels(feedback.rating, feedback.reason_code or "none").inc()
    if is_first:
        _GIVEN.labels(*place_of(attempt), feedback.rating).inc()


def count_escalation(attempt: Attempt, origin: Origin, *, is_new: bool) -> None:
    """Count a wish for a person, and after what the one that opened an escalation came."""
    _ESCALATIONS.labels(origin, "opened" if is_new else "existing").inc()
    if is_new:
        is_refusal = attempt.outcome is not None and attempt.outcome.refused
        _ESCALATED.labels("refusal" if is_refusal else "answer", origin, *place_of(attempt)).inc()


def count_lineage(lineage: EndedLineage) -> None:
    """Count how the retries of a question ended."""
    _LINEAGES.labels(lineage.end, lineage.channel, area_of(lineage.areas)).inc()


def count_citation(attempt: Attempt, passage: CitedPassage) -> None:
    """Count that somebody opened a citation, and whether its text still holds."""
    state = "withdrawn" if passage.withdrawn_at else "replaced" if passage.replaced_by else "current"
    _CITATIONS.labels(state, *place_of(attempt)).inc()


def count_agreement(result: Agreement) -> None:
    """Count a comparison of a closed attempt with knowledge's log."""
    _COMPARED.labels(result).inc()


def place_of(attempt: Attempt) -> tuple[str, str]:
    """Give channel and area of an attempt."""
    return attempt.channel, area_of(attempt.areas)


def area_of(areas: tuple[str, ...]) -> str:
    """Give the area an answer leans on first; `none` without citations, `other` past the most that are told apart."""
    if not areas:
        return "none"
    if areas[0] not in _areas and len(_areas) >= _MOST_AREAS:
        return "other"
    _areas.add(areas[0])
    return areas[0]


def _labels(result: Completed | Failed | None) -> tuple[str, str]:
    match result:
        case None:
            return "lost", "none"
        case Failed():
            return "failed", result.code.value
        case Completed():
            reason = result.outcome.reason_code
            return ("answered", "none") if reason is None else ("refused", reason.value)
