"""One JSON line per event: a constant name, ids as fields, context bound once at the edge.

Never log customer text, tokens or secrets; `docs/architecture.md` says what may be a field.
"""

import logging
import sys
from typing import Any

import structlog
from opentelemetry import trace
from structlog.typing import EventDict, WrappedLogger


def configure_logging(*, service: str, level: str) -> None:
    """Send structlog and standard-library records to stderr as JSON lines. Repeat: the last call wins."""
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        _naming(service),
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _add_trace_id,
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
                structlog.processors.format_exc_info,
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
