"""Traces over OTLP when an endpoint is set, Prometheus metrics always, and the names both use."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Final

import structlog
from opentelemetry import _logs, baggage, context, propagate, trace
from opentelemetry.baggage.propagation import W3CBaggagePropagator
from opentelemetry.instrumentation.celery import CeleryInstrumentor
from opentelemetry.instrumentation.sqlalchemy import SQLAlchemyInstrumentor
from opentelemetry.propagators.composite import CompositePropagator
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan, Span, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, DEFAULT_ON
from opentelemetry.trace import Status
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.requests import Request
from starlette.responses import Response

ATTEMPT_ID: Final = "youju.attempt_id"
TENANT: Final = "youju.tenant"
CONVERSATION_ID: Final = "youju.conversation_id"
RETRY_OF: Final = "youju.retry_of_attempt_id"
VERSION: Final = "youju.version"
OUTCOME: Final = "youju.outcome"
REASON_CODE: Final = "youju.reason_code"
STAGE: Final = "youju.stage"
MESSAGE_TYPE: Final = "youju.message_type"
# Source: OpenTelemetry semantic conventions for generative AI and for errors.
GEN_AI_OPERATION_NAME: Final = "gen_ai.operation.name"
GEN_AI_PROVIDER_NAME: Final = "gen_ai.provider.name"
GEN_AI_REQUEST_MODEL: Final = "gen_ai.request.model"
GEN_AI_REQUEST_MAX_TOKENS: Final = "gen_ai.request.max_tokens"
GEN_AI_RESPONSE_FINISH_REASONS: Final = "gen_ai.response.finish_reasons"
GEN_AI_USAGE_INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
GEN_AI_USAGE_OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
GEN_AI_EVALUATION_NAME: Final = "gen_ai.evaluation.name"
GEN_AI_EVALUATION_SCORE_LABEL: Final = "gen_ai.evaluation.score.label"
GEN_AI_EVALUATION_SCORE_VALUE: Final = "gen_ai.evaluation.score.value"
ERROR_TYPE: Final = "error.type"

_CARRIED: Final = (ATTEMPT_ID, TENANT)
_MESSAGES: Final = frozenset({"exception.message", "exception.stacktrace"})


class _BaggageOnSpans(SpanProcessor):
    """Copies attempt and tenant from the baggage onto every span, so that none has to remember it."""

    def on_start(self, span: Span, parent_context: context.Context | None = None) -> None:
        """Set the carried names as attributes."""
        for name in _CARRIED:
            value = baggage.get_baggage(name, parent_context)
            if isinstance(value, str):
                span.set_attribute(name, value)

    def on_end(self, span: ReadableSpan) -> None:
        """Do nothing: attributes were set at the start."""


class _WithoutMessages(SpanProcessor):
    """Takes out of every span what an exception says: a driver's message quotes the values it was given."""

    def on_end(self, span: ReadableSpan) -> None:
        """Leave the type of an exception, and that there was one."""
        # The one read-only span that all processors after this one are given; there is no public way to change it.
        span._events = tuple(_without_message(each) for each in span.events)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        span._status = Status(span.status.status_code)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]


def _without_message(event: Event) -> Event:
    told = {name: value for name, value in (event.attributes or {}).items() if name not in _MESSAGES}
    return Event(event.name, attributes=told, timestamp=event.timestamp)


def configure_telemetry(*, service: str, otlp_endpoint: str | None) -> None:
    """Turn tracing on for Celery and databases; clients of our own services bring it along (see `runtime.http`).

    Without an endpoint nothing is recorded, which spares each statement a span; trace ids are made and passed on all
    the same, since attempts and log lines carry them.
    """
    sampler = DEFAULT_ON if otlp_endpoint else ALWAYS_OFF
    provider = TracerProvider(resource=Resource.create({"service.name": f"youju-{service}"}), sampler=sampler)
    provider.add_span_processor(_BaggageOnSpans())
    provider.add_span_processor(_WithoutMessages())
    if otlp_endpoint:
        provider.add_span_processor(_exporter(otlp_endpoint))
        _logs.set_logger_provider(_events_to(otlp_endpoint, service))
    trace.set_tracer_provider(provider)
    propagate.set_global_textmap(CompositePropagator([TraceContextTextMapPropagator(), W3CBaggagePropagator()]))
    CeleryInstrumentor().instrument()
    SQLAlchemyInstrumentor().instrument(enable_commenter=False)


def _exporter(otlp_endpoint: str) -> SpanProcessor:
    # Loaded only where it is used: it costs a tenth of a second of every process's start.
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415

    exporter = OTLPSpanExporter(endpoint=f"{otlp_endpoint.rstrip('/')}/v1/traces")
    return BatchSpanProcessor(exporter, schedule_delay_millis=500)


def _events_to(otlp_endpoint: str, service: str) -> LoggerProvider:
    # Loaded only where it is used, as above.
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter  # noqa: PLC0415

    provider = LoggerProvider(resource=Resource.create({"service.name": f"youju-{service}"}))
    exporter = OTLPLogExporter(endpoint=f"{otlp_endpoint.rstrip('/')}/v1/logs")
    provider.add_log_record_processor(BatchLogRecordProcessor(exporter))
    return provider


def emit_event(name: str, attributes: Mapping[str, str | float | int]) -> None:
    """Tell an event of OpenTelemetry's conventions, as part of the span in hand; nowhere without an endpoint."""
    _logs.get_logger("youju").emit(event_name=name, attributes=dict(attributes))


@contextmanager
def attempt_span(name: str, *, tenant: str, attempt_id: str) -> Generator[trace.Span]:
    """Open a span whose attempt and tenant travel in the baggage to every span below it, over HTTP and the queue."""
    token = context.attach(_carrying(tenant, attempt_id))
    try:
        with trace.get_tracer("youju").start_as_current_span(name) as span:
            yield span
    finally:
        context.detach(token)


def adopt_attempt(*, tenant: str, attempt_id: str) -> None:
    """Say that the rest of the request in hand is about an attempt: on its span and all below it, in every log event.

    Call it in the request's own task; what it sets ends with that task.
    """
    trace.get_current_span().set_attributes({TENANT: tenant, ATTEMPT_ID: attempt_id})
    context.attach(_carrying(tenant, attempt_id))
    structlog.contextvars.bind_contextvars(tenant=tenant, attempt_id=attempt_id)


@contextmanager
def stage_span(stage: str) -> Generator[trace.Span]:
    """Open a span for one stage of the work in hand."""
    with trace.get_tracer("youju").start_as_current_span(stage, attributes={STAGE: stage}) as span:
        yield span


@contextmanager
def client_span(name: str, attributes: Mapping[str, str | int]) -> Generator[trace.Span]:
    """Open a span for a call to an outside system; what an exception says stays out of it."""
    with trace.get_tracer("youju").start_as_current_span(
        name,
        kind=trace.SpanKind.CLIENT,
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as span:
        yield span


def current_trace_id() -> str:
    """Give the trace id as 32 hexadecimal digits; all zeros outside any span."""
    return format(trace.get_current_span().get_span_context().trace_id, "032x")


def current_traceparent() -> str | None:
    """Give the W3C traceparent of the current span, to be stored with a message."""
    carrier: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carrier)
    return carrier.get("traceparent")


@contextmanager
def continued_from(traceparent: str | None) -> Generator[None]:
    """Continue a trace whose parent was stored with a message."""
    carrier = {"traceparent": traceparent} if traceparent else {}
    token = context.attach(TraceContextTextMapPropagator().extract(carrier, context.get_current()))
    try:
        yield
    finally:
        context.detach(token)


def _carrying(tenant: str, attempt_id: str) -> context.Context:
    return baggage.set_baggage(ATTEMPT_ID, attempt_id, baggage.set_baggage(TENANT, tenant))


async def metrics_endpoint(_request: Request) -> Response:
    """Serve Prometheus metrics of this process."""
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)
