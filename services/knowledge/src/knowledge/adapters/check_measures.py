"""Counts what a second model says of answers, and tells it the way OpenTelemetry tells evaluations."""

from typing import Final, Literal

from prometheus_client import Counter, Gauge

from knowledge.checking.store import Counted
from runtime import telemetry
from runtime.telemetry import emit_event

Result = Literal["agreed", "disagreed", "trouble", "garbled", "given_up"]

# Source: OpenTelemetry semantic conventions for generative AI, event `gen_ai.evaluation.result`.
EVALUATION_EVENT: Final = "gen_ai.evaluation.result"
EVALUATION_NAME: Final = "claim_support"

_CHECKS: Final = Counter("youju_knowledge_checks_total", "Checks of answers by what came of them", ["result"])
_LAST_DAY: Final = Gauge(
    "youju_knowledge_checks_last_day", "Answers a second model checked within a day, by what it said", ["result"]
)
_DISAGREEMENT: Final = Gauge(
    "youju_knowledge_checker_disagreement_ratio",
    "Share of the answers checked within a day of which the second model doubts a claim",
)


def count_check(result: Result) -> None:
    """Count a check."""
    _CHECKS.labels(result).inc()


def show_checks(counted: Counted) -> None:
    """Show how checks of the last day ended."""
    for result, number in (
        ("agreed", counted.agreed),
        ("disagreed", counted.disagreed),
        ("given_up", counted.given_up),
    ):
        _LAST_DAY.labels(result).set(number)
    judged = counted.agreed + counted.disagreed
    _DISAGREEMENT.set(counted.disagreed / judged if judged else 0)


def tell_evaluation(attempt_id: str, *, model: str, claims: int, unsupported: int) -> None:
    """Tell what a second model said of an answer; no text goes along."""
    emit_event(
        EVALUATION_EVENT,
        {
            telemetry.ATTEMPT_ID: attempt_id,
            telemetry.GEN_AI_REQUEST_MODEL: model,
            telemetry.GEN_AI_EVALUATION_NAME: EVALUATION_NAME,
            telemetry.GEN_AI_EVALUATION_SCORE_VALUE: (claims - unsupported) / claims if claims else 1.0,
            telemetry.GEN_AI_EVALUATION_SCORE_LABEL: "disagree" if unsupported else "agree",
        },
    )


def tell_failed_evaluation(attempt_id: str, *, model: str, trouble: str) -> None:
    """Tell that a second model gave no judgement."""
    emit_event(
        EVALUATION_EVENT,
        {
            telemetry.ATTEMPT_ID: attempt_id,
            telemetry.GEN_AI_REQUEST_MODEL: model,
            telemetry.GEN_AI_EVALUATION_NAME: EVALUATION_NAME,
            telemetry.ERROR_TYPE: trouble,
        },
    )
