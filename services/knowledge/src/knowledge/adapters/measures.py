"""Counts what attempts come to and how long their stages take. Labels come from closed sets, never from texts."""

from collections.abc import Generator
from contextlib import contextmanager
from time import perf_counter
from typing import Final

from prometheus_client import Counter, Gauge, Histogram

from knowledge.answering.log import Asked, Cause, Closing
from runtime.telemetry import stage_span

_ASKED: Final = Counter("youju_knowledge_asked_total", "Attempts taken up or joined", ["kind", "channel"])
_ATTEMPTS: Final = Counter(
    "youju_knowledge_attempts_total",
    "Attempts by how they ended; all of them together are the denominator of every rate",
    ["outcome", "reason", "cause", "channel"],
)
_DRAFTS: Final = Counter("youju_knowledge_drafts_total", "Drafts by what became of them", ["writer", "result"])
_FAULTS: Final = Counter("youju_knowledge_draft_faults_total", "Faults of drafts", ["writer", "code"])
_RUNNING: Final = Gauge("youju_knowledge_attempts_running", "Attempts this process runs now")
_STAGES: Final = Histogram(
    "youju_knowledge_stage_seconds",
    "Time in each stage of an attempt",
    ["stage"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)

_FIRST_SENTENCE: Final = Histogram(
    "youju_knowledge_first_sentence_seconds",
    "Time until the first checked sentence of an answer is released",
    ["mode"],
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)


@contextmanager
def measured_stage(name: str) -> Generator[None]:
    """Trace a stage and measure it, also one that fails."""
    started = perf_counter()
    try:
        with stage_span(name):
            yield
    finally:
        _STAGES.labels(name).observe(perf_counter() - started)


def count_asked(channel: str, *, is_new: bool) -> None:
    """Count a question taken up, or joined because its attempt is known already."""
    _ASKED.labels("new" if is_new else "joined", channel).inc()


def count_ended(asked: Asked, closing: Closing, cause: Cause | None) -> None:
    """Count how an attempt ended and what its drafts were worth."""
    outcome = closing.outcome
    if outcome is None:
        labels = ("failed", str(closing.failure), "none")
    elif outcome.refused:
        labels = ("refused", str(outcome.reason_code), str(cause or "none"))
    else:
        labels = ("answered" if outcome.coverage == "full" else "answered_partly", "none", "none")
    _ATTEMPTS.labels(*labels, asked.channel).inc()
    for draft in closing.drafts:
        _DRAFTS.labels(draft.writer, "trouble" if draft.trouble else "rejected" if draft.faults else "passed").inc()
        for fault in draft.faults:
            _FAULTS.labels(draft.writer, fault.code).inc()


def measure_first_sentence(*, was_early: bool, seconds: float) -> None:
    """Measure when an answer's first sentence was released: before its end, or with it."""
    _FIRST_SENTENCE.labels("verified_sentences" if was_early else "whole").observe(seconds)


def show_running(count: int) -> None:
    """Show how many attempts this process runs."""
    _RUNNING.set(count)
