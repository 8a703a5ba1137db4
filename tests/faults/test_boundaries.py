"""A process of the delivery dies at each of its step boundaries, its messages go astray, its clock steps: one ticket a key.

The processes are those of the product, over a real Postgres and a real Valkey; what is done to them is done inside a process
that was forked for it. `make faults SEEDS=200` runs each fault several times.
"""

import json
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import pytest
from redis import Redis

from services.ticketing.tests.doubles import webhook
from services.ticketing.tests.doubles.webhook import WebhookDouble
from tests.faults.books import Books, books_of
from tests.faults.crew import Crew, await_death
from tests.faults.tampering import MISHAPS, Boundary, Mishap, Tampering
from tests.support.databases import OpenDatabase
from tests.support.fault_table import DESK, Verdict, note, verdict
from ticketing.tickets.rendering import key_stamp
from youju.keys import make_missing_keys

pytestmark = [pytest.mark.fault, pytest.mark.timeout(240)]

SEEDS: Final = max(int(os.environ.get("YOUJU_FAULT_SEEDS", "4")) // 40, 1)
WEBHOOK: Final = "native_key (webhook)"
TENANTS: Final = {DESK: "shop", WEBHOOK: "elsewhere"}
KEYS: Final = 3
_SETTLED_SECONDS: Final = 90
_LOOK_SECONDS: Final = 0.2
# More than the repetition of a message, less than the tolerance of a signature.
_STRIDE_SECONDS: Final = 40


@dataclass(frozen=True)
class Death:
    """Where a process of which role dies, and for tickets of which helpdesk."""

    role: str
    guarantee: str
    boundary: Boundary
    # With a single thread a worker takes no place at a helpdesk, so that every try is the pulse's.
    has_no_places: bool = False


def _deaths(role: str, guarantee: str, *steps: str, has_no_places: bool = False) -> Iterator[Death]:
    for step in steps:
        name, _, side = step.partition(" ")
        yield Death(role, guarantee, Boundary(name, "before" if side == "before" else "after"), has_no_places)


_RELAY: Final = (
    "runtime.outbox:Relay._claim before",
    "runtime.outbox:Relay._claim",
    "runtime.outbox:Relay._publish",
)
_TRY: Final = (
    "ticketing.adapters.ledger:PostgresLedger.take_up before",
    "ticketing.adapters.ledger:PostgresLedger.take_up",
    "ticketing.adapters.masked:MaskedHelpdesk.create",
    "ticketing.adapters.ledger:PostgresLedger.settle",
)
DEATHS: Final = (
    *_deaths("bff.pulse", DESK, *_RELAY),
    *_deaths("ticketing.pulse", DESK, *_RELAY),
    *_deaths(
        "ticketing.worker",
        DESK,
        "ticketing.tasks.opening:open_all before",
        "ticketing.adapters.opening:receive_all",
        "ticketing.adapters.opening:take_up_all",
        "ticketing.adapters.opening:open_tickets",
        "ticketing.adapters.opening:settle_all",
        "ticketing.tasks.opening:open_all",
        "runtime.queue:acknowledge_all",
    ),
    *_deaths(
        "ticketing.worker",
        WEBHOOK,
        "ticketing.tasks.edge:publish before",
        "ticketing.tasks.edge:publish",
        "ticketing.tickets.store.ledger:receive",
        *_TRY,
        "runtime.queue:acknowledge_all",
    ),
    *_deaths(
        "ticketing.pulse",
        WEBHOOK,
        "ticketing.tickets.store.sweeping:find_due",
        "ticketing.tickets.store.ledger:origin",
        *_TRY,
        has_no_places=True,
    ),
    *_deaths(
        "bff.worker",
        DESK,
        "bff.escalations.store:apply_ticket_change before",
        "bff.escalations.store:apply_ticket_change",
        "runtime.queue:acknowledge_all",
    ),
)


@pytest.fixture(scope="module")
def double() -> Iterator[WebhookDouble]:
    served = WebhookDouble()
    with served.served():
        yield served


@pytest.fixture(scope="module")
def books(postgres_admin_url: str, service_database: OpenDatabase) -> Books:
    return books_of(postgres_admin_url, service_database("bff"), service_database("ticketing"))


@pytest.fixture(scope="module")
def crew(
    service_database: OpenDatabase, redis_url: str, double: WebhookDouble, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Crew]:
    folder = tmp_path_factory.mktemp("crew")
    make_missing_keys(folder)
    tenants = {TENANTS[DESK]: {"name": "Shop"}, TENANTS[WEBHOOK]: {"name": "Elsewhere", "helpdesk": "acme"}}
    (folder / "tenants.yaml").write_text(json.dumps({"tenants": tenants}))
    environment = {
        "YOUJU_REDIS_URL": redis_url,
        "YOUJU_KEYS_DIRECTORY": str(folder),
        "YOUJU_TENANTS_FILE": str(folder / "tenants.yaml"),
        "YOUJU_TICKETING_HELPDESKS": '{"acme": "webhook"}',
        "YOUJU_HELPDESK_ACME_URL": double.url,
        "YOUJU_HELPDESK_ACME_SECRETS": webhook.SECRET,
        "YOUJU_HELPDESK_ACME_FAILURES_TO_REST": "100",
    }
    for service in ("bff", "ticketing"):
        database = service_database(service)
        environment[f"YOUJU_{service.upper()}_DATABASE_URL"] = database.app
        environment[f"YOUJU_{service.upper()}_SWEEPER_DATABASE_URL"] = database.sweeper
    with Redis.from_url(redis_url) as valkey:
        valkey.flushall()
    made = Crew(environment, folder)
    yield made
    made.end_all()


def settle(crew: Crew, books: Books, keys: Sequence[str]) -> None:
    """Let time pass in strides until every order is decided and acknowledged."""
    deadline = time.monotonic() + _SETTLED_SECONDS
    while not books.is_settled(keys):
        if time.monotonic() > deadline:
            pytest.fail(f"{books.states(keys)} after {_SETTLED_SECONDS} s\n{crew.last_words()}")
        time.sleep(_LOOK_SECONDS)
        books.pass_time(_STRIDE_SECONDS)


def judged(guarantee: str, fault: str, *, books: Books, double: WebhookDouble, keys: Sequence[str]) -> Verdict:
    """Count the tickets of each key where they are, add the run to the table, and hold the ledger against them."""
    there = books.at_desk(keys)
    there += [(key, str(kept["id"])) for key in keys for kept in double.tickets if key_stamp(key) in str(kept)]
    waiting = [key for key, state in books.states(keys).items() if state == "NEEDS_ATTENTION"]
    found = verdict(Counter(key for key, _ in there), keys=keys, needing_attention=waiting)
    note(guarantee, fault, found)
    assert set(books.named(keys).items()) <= set(there)
    assert len(books.told(keys)) == len(books.named(keys))
    return found


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("death", DEATHS, ids=lambda death: f"{death.role} {death.boundary.title}")
def test_a_process_that_dies_at_a_boundary_leaves_one_ticket_a_key(
    crew: Crew, books: Books, double: WebhookDouble, death: Death, seed: int
) -> None:
    crew.be_complete()
    if death.has_no_places:
        crew.end("ticketing.worker")
        crew.start("ticketing.worker", YOUJU_TICKETING_WORKER_THREADS="1")
    crew.end(death.role)
    doomed = crew.start(death.role, tampering=Tampering(dies=death.boundary))
    keys = books.wish(TENANTS[death.guarantee], KEYS + seed % 2)

    assert await_death(doomed), crew.last_words()
    crew.start(death.role)
    settle(crew, books, keys)

    fault = f"{death.role}: {death.boundary.title}"
    found = judged(death.guarantee, fault, books=books, double=double, keys=keys)
    assert found.is_kept
    assert found.needing_attention == 0


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("guarantee", TENANTS)
@pytest.mark.parametrize("mishap", MISHAPS)
def test_messages_that_go_astray_leave_one_ticket_a_key(
    crew: Crew, books: Books, double: WebhookDouble, *, mishap: Mishap, guarantee: str, seed: int
) -> None:
    crew.replace_all(Tampering(mishap=mishap, seed=seed))
    keys = books.wish(TENANTS[guarantee], KEYS * 2, together=seed % 2 == 0)

    settle(crew, books, keys)

    found = judged(guarantee, f"messages: {mishap}", books=books, double=double, keys=keys)
    assert found.is_kept
    assert found.needing_attention == 0


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("guarantee", TENANTS)
def test_clocks_of_processes_that_step_leave_one_ticket_a_key(
    crew: Crew, books: Books, double: WebhookDouble, *, guarantee: str, seed: int
) -> None:
    crew.replace_all(Tampering(steps=True, seed=seed))
    keys = books.wish(TENANTS[guarantee], KEYS * 2, together=seed % 2 == 0)

    settle(crew, books, keys)

    found = judged(guarantee, "clock steps of every process", books=books, double=double, keys=keys)
    # A receiver refuses what was signed an hour ago: then a person is told.
    assert found.is_kept
    assert guarantee == WEBHOOK or found.needing_attention == 0


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("guarantee", TENANTS)
def test_two_relays_and_four_workers_at_once_leave_one_ticket_a_key(
    crew: Crew, books: Books, double: WebhookDouble, *, guarantee: str, seed: int
) -> None:
    crew.replace_all(Tampering(mishap="duplicate", seed=seed))
    for rival in ("bff.pulse", "bff.worker", "ticketing.pulse", *["ticketing.worker"] * 3):
        crew.start(rival, tampering=Tampering(mishap="duplicate", seed=seed))
    keys = [key for half in (True, False) for key in books.wish(TENANTS[guarantee], 10, together=half)]

    settle(crew, books, keys)

    found = judged(guarantee, "2 relays, 4 workers, 2 pulses", books=books, double=double, keys=keys)
    assert found.is_kept
    assert found.needing_attention == 0


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("guarantee", TENANTS)
def test_a_broker_that_is_emptied_again_and_again_leaves_one_ticket_a_key(
    crew: Crew, books: Books, double: WebhookDouble, redis_url: str, *, guarantee: str, seed: int
) -> None:
    crew.be_complete()
    keys = books.wish(TENANTS[guarantee], KEYS * 2, together=seed % 2 == 0)
    with Redis.from_url(redis_url) as valkey:
        for _ in range(5):
            valkey.flushall()
            books.pass_time(_STRIDE_SECONDS)

    settle(crew, books, keys)

    found = judged(guarantee, "FLUSHALL of the broker", books=books, double=double, keys=keys)
    assert found.is_kept
    assert found.needing_attention == 0
