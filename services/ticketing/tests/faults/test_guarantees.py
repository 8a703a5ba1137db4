"""Whatever breaks between us and a helpdesk: one ticket for a key, or a person who is told.

Each seed plans faults of its own for a few orders. `make faults SEEDS=200` runs the long table.
"""

import os
import random
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any, Final

import pytest

from contracts.messages import CreateTicket
from services.ticketing.tests.conftest import Eyes
from services.ticketing.tests.doubles.benches import Bench, make_benches
from services.ticketing.tests.doubles.double import FAULTS, Fault
from services.ticketing.tests.fakes import WorkerKilled, message, only, order
from ticketing.tasks.acting import resume
from ticketing.tasks.edge import Edge
from ticketing.tasks.receiving import receive_order
from ticketing.tickets.helpdesk import Helpdesk, HelpdeskStatus, HelpdeskTicket
from ticketing.tickets.rendering import key_stamp

pytestmark = [pytest.mark.fault, pytest.mark.timeout(900)]

SEEDS: Final = int(os.environ.get("YOUJU_FAULT_SEEDS", "4"))
KEYS: Final = 3
WORKERS: Final = 4
_ROUNDS: Final = 14
BENCHES: Final = make_benches()


@dataclass(frozen=True)
class Promise:
    """A helpdesk as it is connected, and whether its lookup may lag beyond what it declares."""

    name: str
    bench: Bench
    settings: dict[str, str] = field(default_factory=dict[str, str])
    lags_beyond_bound: bool = False


PROMISES: Final = (
    Promise("native_key (webhook)", BENCHES[3]),
    Promise("native_key for 2 h (zendesk)", BENCHES[0]),
    Promise("strong_lookup (request_tracker)", BENCHES[2]),
    Promise("lagging_lookup (zammad)", BENCHES[1]),
    Promise("lagging_lookup, a person decides", BENCHES[1], {"after_absence": "ask_a_person"}, lags_beyond_bound=True),
)


class Mortal:
    """A worker's view of a helpdesk: the worker may be killed before the request is sent, or after the ticket exists."""

    def __init__(self, helpdesk: Helpdesk, source: random.Random) -> None:
        self._helpdesk = helpdesk
        self._source = source
        self.name = helpdesk.name
        self.guarantee = helpdesk.guarantee
        self.limits = helpdesk.limits
        self.is_polled = helpdesk.is_polled
        self.is_safe = False

    def create(self, ticket: CreateTicket) -> HelpdeskTicket:
        self._perhaps_die()
        made = self._helpdesk.create(ticket)
        self._perhaps_die()
        return made

    def find_by_key(self, *, tenant: str, ticket_key: str) -> HelpdeskTicket | None:
        return self._helpdesk.find_by_key(tenant=tenant, ticket_key=ticket_key)

    def read(self, *, tenant: str, external_id: str) -> HelpdeskStatus | None:
        return self._helpdesk.read(tenant=tenant, external_id=external_id)

    def _perhaps_die(self) -> None:
        if not self.is_safe and self._source.random() < 0.15:
            raise WorkerKilled


@pytest.fixture(scope="module", autouse=True)
def _served(request: pytest.FixtureRequest) -> Iterator[None]:
    with ExitStack() as stack:
        for bench in BENCHES:
            stack.enter_context(bench.double.served())
        yield
    capture: Any = request.config.pluginmanager.getplugin("capturemanager")  # pytest's own, without a public type
    with capture.global_and_fixture_disabled():
        _print_table()


ROWS: Final = Counter[tuple[str, str]]()


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: promise.name)
def test_a_key_is_one_ticket_or_a_person_is_told(
    edge: Edge, tenant: str, eyes: Eyes, monkeypatch: pytest.MonkeyPatch, *, promise: Promise, seed: int
) -> None:
    source = random.Random(seed)  # noqa: S311 - a repeatable table of faults, no secret
    double = promise.bench.double
    double.reset()
    double.faults = planned(source)
    # One place at a time keeps the order of the faults; the workers still compete for every ticket.
    settings = {"seconds": "0.25", "most_at_once": "1", "failures_to_rest": "100", **promise.settings}
    mortal = Mortal(promise.bench.connect(monkeypatch, **settings), source)
    edge = replace(edge, choose=only(mortal))
    bodies = [message(order(tenant, ticket_key=f"{tenant}:key-{number}")) for number in range(KEYS)]

    # Every message comes twice, in any order, to several workers.
    work(edge, tenant, source.sample(bodies * 2, k=KEYS * 2))
    for turn in range(_ROUNDS):
        double.wait_idle()
        double.is_lagging = promise.lags_beyond_bound or (turn < 2 and promise.bench.kind == "zammad")
        # The first rounds come before the bound of any lookup, as an impatient pulse would; the later ones after it.
        eyes.pass_time(30 if turn < 2 else 700)
        mortal.is_safe = turn > 6
        resume_all(edge, tenant, eyes)

    double.wait_idle()
    judge(promise, eyes, tenant)


def planned(source: random.Random) -> list[Fault]:
    return source.choices(FAULTS, k=source.randint(1, 5))


def work(edge: Edge, tenant: str, bodies: list[dict[str, object]]) -> None:
    def deliver(body: dict[str, object]) -> None:
        try:
            receive_order(edge, body)
        except WorkerKilled:
            return

    del tenant
    with ThreadPoolExecutor(WORKERS) as workers:
        list(workers.map(deliver, bodies))


def resume_all(edge: Edge, tenant: str, eyes: Eyes) -> None:
    due = [row["id"] for row in eyes.rows("SELECT id FROM ticket WHERE due_at IS NOT NULL")]

    def take(ticket_id: object) -> None:
        try:
            resume(edge, tenant=tenant, ticket_id=ticket_id)  # pyright: ignore[reportArgumentType]  # a UUID of the table
        except WorkerKilled:
            return

    with ThreadPoolExecutor(WORKERS) as workers:
        list(workers.map(take, [ticket_id for ticket_id in due for _ in range(2)]))


def judge(promise: Promise, eyes: Eyes, tenant: str) -> None:
    tickets = promise.bench.double.tickets
    counts = Counter(key for key in keys_of(tenant) for ticket in tickets if stamped(key, str(ticket)))
    rows = {row["ticket_key"]: row for row in eyes.rows("SELECT ticket_key, state, external_id FROM ticket")}
    name = promise.name
    ROWS[name, "runs"] += 1
    ROWS[name, "keys"] += KEYS
    ROWS[name, "tickets"] += len(tickets)
    ROWS[name, "duplicates"] += sum(count - 1 for count in counts.values() if count > 1)
    ROWS[name, "needing attention"] += sum(row["state"] == "NEEDS_ATTENTION" for row in rows.values())
    ROWS[name, "losses"] += KEYS - sum(row["state"] in {"CREATED", "NEEDS_ATTENTION"} for row in rows.values())

    assert set(rows) == set(keys_of(tenant))
    assert all(count == 1 for count in counts.values())
    assert {row["state"] for row in rows.values()} <= {"CREATED", "NEEDS_ATTENTION"}
    ids = {str(ticket["id"]) for ticket in tickets}
    assert all(row["external_id"] in ids for row in rows.values() if row["state"] == "CREATED")
    if not promise.lags_beyond_bound and "native" in promise.name:
        assert {row["state"] for row in rows.values()} == {"CREATED"}


def keys_of(tenant: str) -> list[str]:
    return [f"{tenant}:key-{number}" for number in range(KEYS)]


def stamped(key: str, ticket: str) -> bool:
    return key_stamp(key) in ticket


def _print_table() -> None:
    columns = ("runs", "keys", "tickets", "duplicates", "losses", "needing attention")
    print(f"\n{'guarantee':<36}" + "".join(f"{column:>19}" for column in columns))  # noqa: T201 - the table of the bench
    for promise in PROMISES:
        figures = "".join(f"{ROWS[promise.name, column]:>19}" for column in columns)
        print(f"{promise.name:<36}{figures}")  # noqa: T201 - as above
