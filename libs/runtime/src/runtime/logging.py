"""One JSON line per event: a constant name, ids as fields, context bound once at the edge.

Never log customer text, tokens or secrets; `docs/architecture.md` says what may be a field. What drivers quote of the
values they were given is taken out here, for every logger (see `runtime.error_text`).
"""

import logging
import sys
from typing import Any, cast

import structlog
from opentelemetry import trace
from structlog.typing import EventDict, WrappedLogger

from runtime.error_text import formatted, without_values


def configure_logging(*, service: str, level: str) -> None:
    """Send structlog and standard-library records to stderr as JSON lines. Repeat: the last call wins."""
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        _naming(service),
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _add_trace_id,
        _tell_error,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(ensure_ascii=False, sort_keys=False),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    # The access line repeats what the request event says, and would carry query strings.
    logging.getLogger("uvicorn.access").disabled = True
    logging.getLogger("httpx").setLevel(logging.WARNING)


def get_logger(name: str) -> structlog.stdlib.BoundLogger:
    """Give a logger whose events carry the module's name."""
    return structlog.stdlib.get_logger(module=name)


def bound(**fields: Any) -> Any:  # structlog's context manager type is not public
    """Bind fields to every event inside a `with` block."""
    return structlog.contextvars.bound_contextvars(**fields)


def _naming(service: str) -> structlog.typing.Processor:
    # A context variable would not do: the threads of a worker do not inherit it.
    def add(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        event["service"] = service
        return event

    return add


def _add_trace_id(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    context = trace.get_current_span().get_span_context()
    if context.is_valid:
        event["trace_id"] = format(context.trace_id, "032x")
    return event


def _tell_error(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Write the error of an event down without the values that drivers quote, also where the event repeats it."""
    error = _error_of(event.pop("exc_info", None))
    if error is not None:
        event["exception"] = formatted(error)
        event["event"] = without_values(str(event["event"]), error)
    return event


def _error_of(info: object) -> BaseException | None:
    if isinstance(info, BaseException):
        return info
    if isinstance(info, tuple):
        return next((each for each in cast("tuple[object, ...]", info) if isinstance(each, BaseException)), None)
    return sys.exc_info()[1] if info else None
