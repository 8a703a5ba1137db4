"""Whatever breaks between us and a helpdesk: one ticket for a key, or a person who is told.

Each seed plans faults of its own for a few orders. `make faults SEEDS=200` runs the long table.
"""

import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID

import pytest

from contracts.messages import CreateTicket
from services.ticketing.tests.conftest import Eyes
from services.ticketing.tests.doubles.benches import Bench, make_benches
from services.ticketing.tests.doubles.double import FAULTS, Double, Fault
from services.ticketing.tests.doubles.zendesk import ZendeskDouble
from services.ticketing.tests.fakes import WorkerKilled, message, only, order
from services.ticketing.tests.faults.stepping import DatabaseClock, install_clock
from tests.support.databases import OpenDatabase
from tests.support.fault_table import note, verdict
from ticketing.tasks.acting import resume
from ticketing.tasks.edge import Edge, watch_clock
from ticketing.tasks.receiving import receive_order
from ticketing.tickets.helpdesk import Helpdesk, HelpdeskStatus, HelpdeskTicket
from ticketing.tickets.rendering import key_stamp
from ticketing.tickets.steps import Steps

pytestmark = [pytest.mark.fault, pytest.mark.timeout(900)]

SEEDS: Final = max(int(os.environ.get("YOUJU_FAULT_SEEDS", "4")) // 8, 1)
KEYS: Final = 3
WORKERS: Final = 4
BENCHES: Final = make_benches()
_ROUNDS: Final = 14
# The first rounds come before the bound of any lookup, as an impatient pulse would; the later ones after it.
_EARLY_ROUNDS: Final = 2
_EARLY_SECONDS: Final = 30
_LATE_SECONDS: Final = 700
_SAFE_ROUND: Final = 6
_DEATHS: Final = 0.3
# Longer than Zendesk remembers a key.
KEY_SECONDS: Final = 7_300
_STEPS: Final = (-7_200, -700, -40, 40, 200, 700, 3_600, 7_200)


@dataclass(frozen=True)
class Promise:
    """A helpdesk as it is connected. `keeps_when_lagging` holds where not even a lag beyond its bound makes two tickets."""

    name: str
    bench: Bench
    settings: dict[str, str] = field(default_factory=dict[str, str])
    keeps_when_lagging: bool = False


PROMISES: Final = (
    Promise("native_key (webhook)", BENCHES[3]),
    Promise("native_key for 2 h (zendesk)", BENCHES[0], keeps_when_lagging=True),
    Promise("strong_lookup (request_tracker)", BENCHES[2]),
    Promise("lagging_lookup (zammad)", BENCHES[1], keeps_when_lagging=True),
    Promise("lagging_lookup, absence believed once", BENCHES[1], {"after_absence": "create_once"}),
)


@dataclass(frozen=True)
class Plan:
    """What is wrong in a run: what befalls creates, and more.

    Workers die in a call, the search lags beyond its bound, the clock of the database is set while a call is under way.
    """

    name: str
    faults: tuple[Fault, ...] = ()
    kills: bool = False
    lags: bool = False
    steps: bool = False


_NAMES: Final[dict[Fault, str]] = {
    "lose_reply": "accepts, then times out",
    "fail_after": "500 after creating",
    "fail_before": "503 before creating",
    "late": "answers after the time-out",
    "garbage": "returns garbage",
    "cut": "closes the socket",
    "busy": "429 with Retry-After",
}
PLANS: Final = (
    *(Plan(name, (fault,)) for fault, name in _NAMES.items()),
    Plan("lags beyond its bound", ("lose_reply", "late", "fail_after"), lags=True),
    Plan("worker dies in a call", kills=True),
    Plan("clock of the database steps", ("lose_reply", "late"), steps=True),
    Plan("all at once", FAULTS, kills=True),
)
RUNS: Final = tuple(
    (promise, plan) for promise in PROMISES for plan in PLANS if not plan.lags or promise.keeps_when_lagging
)


class Befallen:
    """A worker's view of a helpdesk: something befalls it before a request is sent, or after the ticket exists."""

    def __init__(self, helpdesk: Helpdesk, befall: Callable[[], None]) -> None:
        self._helpdesk = helpdesk
        self._befall = befall
        self.name = helpdesk.name
        self.guarantee = helpdesk.guarantee
        self.limits = helpdesk.limits
        self.is_polled = helpdesk.is_polled
        self.is_safe = False

    def create(self, ticket: CreateTicket) -> HelpdeskTicket:
        self._unless_safe()
        made = self._helpdesk.create(ticket)
        self._unless_safe()
        return made

    def find_by_key(self, *, tenant: str, ticket_key: str) -> HelpdeskTicket | None:
        return self._helpdesk.find_by_key(tenant=tenant, ticket_key=ticket_key)

    def read(self, *, tenant: str, external_id: str) -> HelpdeskStatus | None:
        return self._helpdesk.read(tenant=tenant, external_id=external_id)

    def _unless_safe(self) -> None:
        if not self.is_safe:
            self._befall()


def misfortune(plan: Plan, source: random.Random, step: Callable[[], None]) -> Callable[[], None]:
    """Choose what befalls a worker in a call."""

    def befall() -> None:
        if plan.kills and source.random() < _DEATHS:
            raise WorkerKilled
        if plan.steps:
            step()

    return befall


@pytest.fixture(scope="module", autouse=True)
def _served() -> Iterator[None]:
    with ExitStack() as stack:
        for bench in BENCHES:
            stack.enter_context(bench.double.served())
        yield


@pytest.fixture(scope="module")
def clock(postgres_admin_url: str, service_database: OpenDatabase) -> DatabaseClock:
    return install_clock(postgres_admin_url, service_database("ticketing"))


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize(("promise", "plan"), RUNS, ids=lambda each: each.name)
def test_a_key_is_one_ticket_or_a_person_is_told(
    edge: Edge,
    tenant: str,
    eyes: Eyes,
    clock: DatabaseClock,
    monkeypatch: pytest.MonkeyPatch,
    *,
    promise: Promise,
    plan: Plan,
    seed: int,
) -> None:
    source = random.Random(seed)  # noqa: S311 - a repeatable table of faults, no secret
    double = promise.bench.double
    double.reset()
    double.faults = source.choices(plan.faults, k=source.randint(KEYS, 5)) if plan.faults else []
    # One place at a time keeps the order of the faults; the workers still compete for every ticket.
    settings = {"seconds": "0.25", "most_at_once": "1", "failures_to_rest": "100", **promise.settings}
    plain = promise.bench.connect(monkeypatch, **settings)
    rival = replace(edge, choose=only(plain))

    def step() -> None:
        # Whoever takes up what the step made due does so while the call of the worker it befalls is still to come.
        clock.set_by(source.choice(_STEPS))
        resume_all(rival, tenant, eyes)

    helpdesk = Befallen(plain, misfortune(plan, source, step))
    edge = replace(edge, choose=only(helpdesk))
    watch_clock(edge)
    bodies = [message(order(tenant, ticket_key=key)) for key in keys_of(tenant)]

    # Every message comes twice, in any order, to several workers.
    work(edge, source.sample(bodies * 2, k=KEYS * 2))
    for turn in range(_ROUNDS):
        double.wait_idle()
        double.is_lagging = plan.lags or (turn < _EARLY_ROUNDS and promise.bench.kind == "zammad")
        eyes.pass_time(_stride(plan, turn))
        forget(double, plan)
        helpdesk.is_safe = turn > _SAFE_ROUND
        if plan.steps:
            # Whoever goes on started after the step, and saw nothing of it.
            edge = replace(edge, steps=Steps(time.monotonic, machine=edge.steps.machine))
        if not resume_all(edge, tenant, eyes):
            break

    double.wait_idle()
    clock.set_right()
    judge(promise, plan, eyes, tenant)


def _stride(plan: Plan, turn: int) -> float:
    if plan.lags:
        return KEY_SECONDS
    if plan.steps and turn > _SAFE_ROUND:
        # Whatever a clock that was set back makes wait comes due in the end.
        return _STEPS[-1] * KEYS * 2
    return _EARLY_SECONDS if turn < _EARLY_ROUNDS else _LATE_SECONDS


def forget(double: Double, plan: Plan) -> None:
    """Let a helpdesk that remembers keys for two hours forget them when these are over."""
    if plan.lags and isinstance(double, ZendeskDouble):
        double.keys.clear()


def work(edge: Edge, bodies: list[dict[str, object]]) -> None:
    def deliver(body: dict[str, object]) -> None:
        try:
            receive_order(edge, body)
        except WorkerKilled:
            return

    with ThreadPoolExecutor(WORKERS) as workers:
        list(workers.map(deliver, bodies))


def resume_all(edge: Edge, tenant: str, eyes: Eyes) -> bool:
    """Let every ticket that waits be taken up by two workers at once; False when none waits."""
    due: list[UUID] = [row["id"] for row in eyes.rows("SELECT id FROM ticket WHERE due_at IS NOT NULL")]

    def take(ticket_id: UUID) -> None:
        try:
            resume(edge, tenant=tenant, ticket_id=ticket_id)
        except WorkerKilled:
            return

    with ThreadPoolExecutor(WORKERS) as workers:
        list(workers.map(take, [ticket_id for ticket_id in due for _ in range(2)]))
    return bool(due)


def judge(promise: Promise, plan: Plan, eyes: Eyes, tenant: str) -> None:
    keys = keys_of(tenant)
    tickets = promise.bench.double.tickets
    rows = {row["ticket_key"]: row for row in eyes.rows("SELECT ticket_key, state, external_id FROM ticket")}
    waiting = [key for key, row in rows.items() if row["state"] == "NEEDS_ATTENTION"]
    counts = Counter(key for key in keys for ticket in tickets if key_stamp(key) in str(ticket))
    found = verdict(counts, keys=keys, needing_attention=waiting)
    note(promise.name, plan.name, found)

    assert set(rows) == set(keys)
    assert found.is_kept
    assert {row["state"] for row in rows.values()} <= {"CREATED", "NEEDS_ATTENTION"}
    ids = {(key, str(ticket["id"])) for key in keys for ticket in tickets if key_stamp(key) in str(ticket)}
    assert all((key, row["external_id"]) in ids for key, row in rows.items() if row["state"] == "CREATED")
    # A question that stays open for longer than Zendesk remembers a key is for a person; elsewhere a native key settles it.
    forgets = promise.keeps_when_lagging and (plan.kills or plan.steps)
    if "native" in promise.name and not plan.lags and not forgets:
        assert found.needing_attention == 0


def keys_of(tenant: str) -> list[str]:
    return [f"{tenant}:key-{number}" for number in range(KEYS)]
