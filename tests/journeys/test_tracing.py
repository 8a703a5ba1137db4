"""One trace, one attempt id: through bff, knowledge, Postgres, the queue and ticketing."""

from collections.abc import Callable
from typing import Final

import httpx
import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from contracts.customer import Attempt
from contracts.ids import parsed
from runtime.http import trust
from runtime.telemetry import ATTEMPT_ID
from tests.support.customer import Customer
from tests.support.otlp import OtlpReceiver, ReceivedSpan
from tests.support.system import System
from youju.database_urls import for_psycopg

pytestmark = pytest.mark.journey

# A complaint is refused and, in the demo, escalates by itself: its one trace passes through everything.
COMPLAINT: Final = "我要投诉！你们的客服太差了。"
REFUND: Final = "退款多久到账？"
SERVICES: Final = ("youju-bff", "youju-knowledge", "youju-knowledge-worker", "youju-ticketing")
TICKET_CHANGED: Final = "receive youju.ticket_changed.v1"


def came_back(spans: list[ReceivedSpan]) -> bool:
    """Tell whether every service has sent spans, and bff those of the ticket's news; each sends in its own time."""
    told = any(span.name == TICKET_CHANGED and span.service == "youju-bff" for span in spans)
    return told and {span.service for span in spans} == set(SERVICES)


def is_whole(spans: list[ReceivedSpan]) -> bool:
    """Tell whether a trace has come back to bff and lacks no parent."""
    ids = {span.span_id for span in spans}
    return came_back(spans) and all(span.parent_id in ids for span in spans if span.parent_id)


def services_with(spans: list[ReceivedSpan], has: Callable[[ReceivedSpan], bool]) -> set[str]:
    return {span.service for span in spans if has(span)}


async def complaint(customer: Customer, otlp: OtlpReceiver) -> tuple[Attempt, list[ReceivedSpan]]:
    attempt = await customer.ask(COMPLAINT)
    return attempt, otlp.trace(attempt.trace_id, until=is_whole)


async def test_one_trace_covers_services_databases_and_queue(customer: Customer, otlp: OtlpReceiver) -> None:
    _, spans = await complaint(customer, otlp)

    assert is_whole(spans)
    assert sum(not span.parent_id for span in spans) == 1
    assert {span.service for span in spans} == set(SERVICES)
    assert services_with(spans, lambda span: span.attributes.get("db.system") == "postgresql") == set(SERVICES)
    assert {(span.service, span.name) for span in spans} >= {
        ("youju-bff", "apply_async/youju.create_ticket.v1"),
        ("youju-ticketing", "run/youju.create_ticket.v1"),
        ("youju-ticketing", "apply_async/youju.ticket_changed.v1"),
        ("youju-bff", "run/youju.ticket_changed.v1"),
    }


async def test_every_span_carries_the_attempt(customer: Customer, otlp: OtlpReceiver) -> None:
    attempt, spans = await complaint(customer, otlp)

    without = [(span.service, span.name) for span in spans if span.attributes.get(ATTEMPT_ID) != attempt.attempt_id]

    assert without == []


async def test_every_log_line_of_the_trace_carries_the_attempt(
    system: System, customer: Customer, otlp: OtlpReceiver
) -> None:
    attempt, _ = await complaint(customer, otlp)

    lines = {
        part.name: [line for line in system.log_events(part.name) if line.get("trace_id") == attempt.trace_id]
        for part in system.state.parts
    }

    assert {part for part, found in lines.items() if found} >= {"bff", "knowledge", "ticketing-worker"}
    assert [line for found in lines.values() for line in found if line.get("attempt_id") != attempt.attempt_id] == []


async def test_an_answer_and_a_click_share_the_trace_of_their_client(customer: Customer, otlp: OtlpReceiver) -> None:
    trace_id = "5f" * 16
    customer.http.headers["traceparent"] = f"00-{trace_id}-{'7a' * 8}-01"

    attempt = await customer.ask(REFUND)
    await customer.escalate(attempt)
    spans = otlp.trace(trace_id, until=came_back)

    assert attempt.trace_id == trace_id
    assert services_with(spans, lambda span: span.attributes.get(ATTEMPT_ID) == attempt.attempt_id) == set(SERVICES)


@pytest.mark.parametrize(
    ("service", "table", "column"),
    [
        ("bff", "attempt", "id"),
        ("knowledge", "answer_opening", "attempt"),
        ("knowledge", "answer_log", "attempt"),
    ],
)
async def test_rows_carry_the_attempt_and_answers_their_trace(
    system: System, customer: Customer, service: str, table: str, column: str
) -> None:
    attempt = await customer.ask(REFUND)

    found = _rows(system, service, table, column=column, value=parsed("att", attempt.attempt_id).hex)

    assert len(found) == 1
    assert table == "answer_log" or found[0]["trace_id"] == attempt.trace_id


@pytest.mark.parametrize("table", ["ticket", "ticket_try", "desk_ticket", "outbox"])
async def test_rows_of_ticketing_carry_the_attempt(
    system: System, customer: Customer, otlp: OtlpReceiver, table: str
) -> None:
    attempt, _ = await complaint(customer, otlp)

    found = _rows(system, "ticketing", table, column="attempt_id", value=attempt.attempt_id)

    assert len(found) == 1


async def test_metrics_count_attempts_by_outcome_reason_cause_and_channel(system: System, customer: Customer) -> None:
    before = _metrics(system.bff) | _metrics(system.knowledge)

    await customer.ask(REFUND)
    await customer.ask("火星基地的重力是多少？")

    after = _metrics(system.bff) | _metrics(system.knowledge)
    grown = {name: value - before.get(name, 0) for name, value in after.items()}
    causes = [
        grown.get(f"youju_knowledge_attempts_total{{{_labels(cause)}}}", 0)
        for cause in ("NOTHING_RETRIEVED", "BELOW_THRESHOLD")
    ]
    assert grown['youju_attempts_total{channel="web",outcome="answered",reason="none"}'] == 1
    assert grown['youju_attempts_total{channel="web",outcome="refused",reason="NO_AUTHORIZED_EVIDENCE"}'] == 1
    assert sum(causes) == 1


def _labels(cause: str) -> str:
    return f'cause="{cause}",channel="web",outcome="refused",reason="NO_AUTHORIZED_EVIDENCE"'


def _metrics(url: str) -> dict[str, float]:
    text = httpx.get(f"{url}/metrics", trust_env=False, verify=trust()).raise_for_status().text
    samples = (line.rpartition(" ") for line in text.splitlines() if line and not line.startswith("#"))
    return {name: float(value) for name, _, value in samples}


def _rows(system: System, service: str, table: str, *, column: str, value: str) -> list[dict[str, object]]:
    url = for_psycopg(system.state.environment[f"YOUJU_{service.upper()}_DATABASE_URL"])
    query = SQL("SELECT to_jsonb(t) FROM {} t WHERE replace(t.{}::text, '-', '') = %s").format(
        Identifier(table), Identifier(column)
    )
    with psycopg.connect(url) as connection:
        connection.execute("SELECT set_config('youju.tenant', 'demo', true)")
        return [row[0] for row in connection.execute(query, (value,))]
