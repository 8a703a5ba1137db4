"""An error is written down with all that helps to find it and without the values it was about."""

import json
import subprocess
import sys

import psycopg
import pytest
from pydantic import BaseModel, ValidationError
from sqlalchemy.exc import IntegrityError

from runtime.error_text import formatted, told, without_values
from youju.database_urls import ServiceDatabase

_SECRET = "15800002605"
_DETAIL = (
    f'duplicate key value violates unique constraint "note_pkey"\nDETAIL:  Key (words)=({_SECRET}) already exists.'
)


class _Form(BaseModel):
    amount: int


def _invalid() -> ValidationError:
    with pytest.raises(ValidationError) as refused:
        _Form.model_validate({"amount": _SECRET + "x"})
    return refused.value


_UNIQUE = psycopg.errors.UniqueViolation(_DETAIL)


@pytest.mark.unit
@pytest.mark.parametrize(
    ("error", "text"),
    [
        (_UNIQUE, "psycopg.errors.UniqueViolation: 23505"),
        (
            IntegrityError("INSERT INTO note VALUES (%(a)s)", None, _UNIQUE),
            "sqlalchemy.exc.IntegrityError: psycopg.errors.UniqueViolation: 23505",
        ),
        (_invalid(), "pydantic_core._pydantic_core.ValidationError: _Form: int_parsing"),
        (KeyError("name"), "KeyError: 'name'"),
        (TimeoutError(), "TimeoutError"),
    ],
)
def test_an_error_says_its_kind_and_no_value(error: BaseException, text: str) -> None:
    assert told(error) == text


@pytest.mark.unit
def test_a_traceback_has_every_frame_and_every_cause_without_values() -> None:
    def inner() -> None:
        raise _UNIQUE

    def outer() -> None:
        try:
            inner()
        except psycopg.Error as cause:
            raise RuntimeError("no note") from cause

    with pytest.raises(RuntimeError) as caught:
        outer()

    text = formatted(caught.value)

    assert (
        text.index("in inner") < text.index("23505") < text.index("direct cause") < text.index("RuntimeError: no note")
    )
    assert _SECRET not in text


@pytest.mark.unit
def test_errors_of_a_group_are_told_one_by_one() -> None:
    text = formatted(BaseExceptionGroup("several", [_UNIQUE, ValueError("other")]))

    assert (text.count("--- "), "ValueError: other" in text, _SECRET in text) == (2, True, False)


@pytest.mark.unit
def test_what_a_library_quotes_of_an_error_is_replaced() -> None:
    wrapped = IntegrityError("INSERT", None, _UNIQUE)

    text = without_values(f"Task raised {wrapped!r} from {_UNIQUE}", wrapped)

    assert _SECRET not in text
    assert text.startswith("Task raised sqlalchemy.exc.IntegrityError: psycopg.errors.UniqueViolation: 23505 from ")


_SCRIPT = """
import logging, os, sys
from sqlalchemy import text
from runtime.database import SyncDatabase
from runtime.logging import configure_logging, get_logger
configure_logging(service="demo", level="info")
database = SyncDatabase(os.environ["DEMO_URL"], pool_size=1)
log = get_logger("demo")
for statement in ("SELECT CAST(:words AS integer)", "SELECT CAST(:words AS uuid)"):
    try:
        with database.transaction("t") as connection:
            connection.execute(text(statement), {"words": "15800002605-planted"})
    except Exception as error:
        log.exception("task_failed")
        log.error("request_failed", exc_info=error)
        logging.getLogger("celery.app.trace").error("Task %s raised: %r", "demo", error, exc_info=sys.exc_info())
"""


@pytest.mark.store
def test_no_line_of_a_log_holds_a_value_that_the_database_refused(database: ServiceDatabase) -> None:
    run = subprocess.run(
        [sys.executable, "-c", _SCRIPT],
        env={"DEMO_URL": database.app}, capture_output=True, text=True, check=True,
    )  # fmt: skip

    lines = [json.loads(line) for line in run.stderr.splitlines()]
    assert len(lines) == 6
    assert all("sqlalchemy.exc.DataError: psycopg.errors." in each["exception"] for each in lines)
    assert "planted" not in run.stderr


_SPANS = """
from opentelemetry import trace
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from runtime import telemetry
kept = InMemorySpanExporter()
telemetry._exporter = lambda endpoint: SimpleSpanProcessor(kept)
telemetry.configure_telemetry(service="demo", otlp_endpoint="http://127.0.0.1:9")
try:
    with telemetry.stage_span("write"):
        raise ValueError("15800002605-planted")
except ValueError:
    pass
(span,) = kept.get_finished_spans()
print(span.to_json())
"""


@pytest.mark.unit
def test_a_span_says_that_it_failed_and_not_what_the_error_said() -> None:
    run = subprocess.run([sys.executable, "-c", _SPANS], capture_output=True, text=True, check=True)

    span = json.loads(run.stdout)
    assert span["status"] == {"status_code": "ERROR"}
    assert [each["attributes"]["exception.type"] for each in span["events"]] == ["ValueError"]
    assert "planted" not in run.stdout
