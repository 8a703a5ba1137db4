"""Counts what models do, take and cost. Labels come from closed sets: which of the models, and stable words."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final, Literal

from opentelemetry.trace import Span
from prometheus_client import Counter, Gauge, Histogram

from knowledge.answering.draft import Usage
from runtime import telemetry
from runtime.telemetry import client_span

Rank = Literal["primary", "fallback", "checker", "judge"]
PassedOver = Literal["budget_spent", "budget_unknown", "no_model"]

_CALLS: Final = Counter(
    "youju_knowledge_model_calls_total", "Calls of models by what came of them", ["model", "result"]
)
_TOKENS: Final = Counter("youju_knowledge_model_tokens_total", "Tokens of models", ["model", "direction"])
_COST: Final = Counter("youju_knowledge_model_cost_total", "Cost of models in the currency of the prices", ["model"])
_FIRST_BYTE: Final = Histogram(
    "youju_knowledge_model_first_byte_seconds",
    "Time until a model begins to reply",
    ["model"],
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 20),
)
_BREAKER: Final = Gauge("youju_knowledge_breaker_open", "1 while a model is left alone after trouble", ["model"])
_PASSED_OVER: Final = Counter(
    "youju_knowledge_writer_passed_over_total",
    "Answers worded by the extractive writer although the tenant chose a model",
    ["reason"],
)


@contextmanager
def model_span(model: str, *, output_tokens: int) -> Generator[Span]:
    """Trace one call under the names of OpenTelemetry's conventions for generative AI; no text goes into it."""
    known: dict[str, str | int] = {
        telemetry.GEN_AI_OPERATION_NAME: "chat",
        telemetry.GEN_AI_PROVIDER_NAME: "openai",
        telemetry.GEN_AI_REQUEST_MODEL: model,
        telemetry.GEN_AI_REQUEST_MAX_TOKENS: output_tokens,
    }
    with client_span(f"chat {model}", known) as span:
        yield span


def note_reply(span: Span, usage: Usage) -> None:
    """Put what a call came to onto its span."""
    span.set_attribute(telemetry.GEN_AI_USAGE_INPUT_TOKENS, usage.input_tokens)
    span.set_attribute(telemetry.GEN_AI_USAGE_OUTPUT_TOKENS, usage.output_tokens)
    if usage.finish_reason is not None:
        span.set_attribute(telemetry.GEN_AI_RESPONSE_FINISH_REASONS, (usage.finish_reason,))


def note_trouble(span: Span, what: str) -> None:
    """Put the trouble of a call onto its span."""
    span.set_attribute(telemetry.ERROR_TYPE, what)


def count_call(rank: Rank, result: str, usage: Usage | None) -> None:
    """Count a call and what it is billed by."""
    _CALLS.labels(rank, result).inc()
    if usage is None:
        return
    _TOKENS.labels(rank, "input").inc(usage.input_tokens)
    _TOKENS.labels(rank, "output").inc(usage.output_tokens)
    _COST.labels(rank).inc(float(usage.cost or 0))


def measure_first_byte(rank: Rank, seconds: float) -> None:
    """Measure how long a model took to begin."""
    _FIRST_BYTE.labels(rank).observe(seconds)


def show_breaker(rank: Rank, *, is_open: bool) -> None:
    """Show whether a model is left alone."""
    _BREAKER.labels(rank).set(int(is_open))


def count_passed_over(reason: PassedOver) -> None:
    """Count an answer that a model was not asked for."""
    _PASSED_OVER.labels(reason).inc()
