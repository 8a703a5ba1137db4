"""A process of the delivery dies at each of its step boundaries, messages go astray, clocks step, servers fall: one ticket a key.

The processes are those of the product, over a real Postgres and a real Valkey; what is done to them is done inside a process
that was forked for it. `make faults SEEDS=200` runs each fault several times.
"""

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from redis import Redis

from tests.faults.crew import await_death
from tests.faults.scene import ELSEWHERE, EVERYWHERE, WEBHOOK, ZAMMAD, Scene, set_up
from tests.faults.tampering import MISHAPS, Boundary, Mishap, Tampering
from tests.support.fault_table import DESK
from tests.support.watchdog import watching

pytestmark = [pytest.mark.fault, pytest.mark.timeout(600)]

SEEDS: Final = max(int(os.environ.get("YOUJU_FAULT_SEEDS", "4")) // 40, 1)
KEYS: Final = 3


@dataclass(frozen=True)
class Death:
    """Where a process of which role dies, and for tickets of helpdesks with which guarantees."""

    role: str
    guarantees: tuple[str, ...]
    boundary: Boundary
    # With a single thread a worker takes no place at a helpdesk, so that every try is the pulse's.
    has_no_places: bool = False


def _deaths(role: str, guarantees: tuple[str, ...], *steps: str, has_no_places: bool = False) -> Iterator[Death]:
    for step in steps:
        name, _, side = step.partition(" ")
        yield Death(role, guarantees, Boundary(name, "before" if side == "before" else "after"), has_no_places)


CALL: Final = "ticketing.adapters.masked:MaskedHelpdesk.create"
_RELAY: Final = (
    "runtime.outbox:Relay._claim before",
    "runtime.outbox:Relay._claim",
    "runtime.outbox:Relay._publish",
)
_TRY: Final = (
    "ticketing.adapters.ledger:PostgresLedger.take_up before",
    "ticketing.adapters.ledger:PostgresLedger.take_up",
    CALL,
    "ticketing.adapters.ledger:PostgresLedger.settle",
)
DEATHS: Final = (
    *_deaths("bff.pulse", EVERYWHERE, *_RELAY),
    *_deaths("ticketing.pulse", EVERYWHERE, *_RELAY),
    *_deaths(
        "ticketing.worker",
        (DESK,),
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
        ELSEWHERE,
        "ticketing.tasks.edge:publish before",
        "ticketing.tasks.edge:publish",
        "ticketing.tickets.store.ledger:receive",
        *_TRY,
        "runtime.queue:acknowledge_all",
    ),
    *_deaths(
        "ticketing.pulse",
        ELSEWHERE,
        "ticketing.tickets.store.sweeping:find_due",
        "ticketing.tickets.store.ledger:origin",
        *_TRY,
        has_no_places=True,
    ),
    *_deaths(
        "bff.worker",
        EVERYWHERE,
        "bff.escalations.store:apply_ticket_change before",
        "bff.escalations.store:apply_ticket_change",
        "runtime.queue:acknowledge_all",
    ),
)


def guarantees_of(death: Death, seed: int) -> Sequence[str]:
    """Say for helpdesks of which guarantees there are orders when a process dies.

    Of helpdesks elsewhere there is one at a time, so that it is its try that is cut off; the seeds take turns.
    """
    if death.guarantees != ELSEWHERE:
        return death.guarantees
    return (ELSEWHERE[(DEATHS.index(death) + seed) % len(ELSEWHERE)],)


def broker_restarted(scene: Scene) -> None:
    scene.valkey.kill()
    scene.valkey.start()


def broker_emptied(scene: Scene) -> None:
    with Redis.from_url(scene.valkey.url) as valkey:
        for _ in range(5):
            valkey.flushall()
            scene.stride()


def database_restarted(scene: Scene) -> None:
    scene.postgres.kill()
    scene.postgres.start()


STRIKES: Final[dict[str, Callable[[Scene], None]]] = {
    "restart of the broker": broker_restarted,
    "FLUSHALL of the broker": broker_emptied,
    "restart of Postgres": database_restarted,
}


@pytest.fixture(scope="module")
def scene() -> Iterator[Scene]:
    folder = Path(tempfile.mkdtemp(prefix="youju-"))
    folder.chmod(0o711)
    with watching("servers", folder), set_up(folder) as made:
        yield made


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("death", DEATHS, ids=lambda death: f"{death.role} {death.boundary.title}")
def test_a_process_that_dies_at_a_boundary_leaves_one_ticket_a_key(scene: Scene, death: Death, seed: int) -> None:
    crew = scene.crew
    crew.be_complete()
    if death.has_no_places:
        crew.end("ticketing.worker")
        crew.start("ticketing.worker", YOUJU_TICKETING_WORKER_THREADS="1")
    crew.end(death.role)
    doomed = crew.start(death.role, tampering=Tampering(dies=death.boundary))
    wished = scene.wish(guarantees_of(death, seed), KEYS + seed % 2)

    assert await_death(doomed), crew.last_words()
    crew.start(death.role)
    scene.settle(wished)

    scene.judge(f"{death.role}: {death.boundary.title}", wished)


def test_time_waits_for_a_worker_that_is_slow_to_call_a_helpdesk(scene: Scene) -> None:
    """Prove the scene itself: on a busy machine a worker stands still like that, and no lease may run out below it."""
    scene.crew.be_complete()
    scene.crew.end("ticketing.worker")
    scene.crew.start("ticketing.worker", tampering=Tampering(stalls=CALL))
    wished = scene.wish(ELSEWHERE, KEYS)

    scene.settle(wished)

    scene.judge("a worker that stands still", wished, asks=())


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("mishap", MISHAPS)
def test_messages_that_go_astray_leave_one_ticket_a_key(scene: Scene, mishap: Mishap, seed: int) -> None:
    scene.crew.replace_all(Tampering(mishap=mishap, seed=seed))
    wished = scene.wish(EVERYWHERE, KEYS * 2, together=seed % 2 == 0)

    scene.settle(wished)

    scene.judge(f"messages: {mishap}", wished)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_clocks_of_processes_that_step_leave_one_ticket_a_key(scene: Scene, seed: int) -> None:
    scene.crew.replace_all(Tampering(steps=True, seed=seed))
    wished = scene.wish(EVERYWHERE, KEYS * 2, together=seed % 2 == 0)

    scene.settle(wished)

    # A receiver refuses what was signed an hour ago: then a person is told.
    scene.judge("clock steps of every process", wished, asks=(WEBHOOK, ZAMMAD))


@pytest.mark.parametrize("seed", range(SEEDS))
def test_two_relays_and_four_workers_at_once_leave_one_ticket_a_key(scene: Scene, seed: int) -> None:
    tampering = Tampering(mishap="duplicate", seed=seed)
    scene.crew.replace_all(tampering)
    for rival in ("bff.pulse", "bff.worker", "ticketing.pulse", *["ticketing.worker"] * 3):
        scene.crew.start(rival, tampering=tampering)
    halves = [scene.wish(EVERYWHERE, 10, together=half) for half in (True, False)]
    wished = {each: [key for half in halves for key in half[each]] for each in EVERYWHERE}

    scene.settle(wished)

    scene.judge("2 relays, 4 workers, 2 pulses", wished)


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("strike", STRIKES)
def test_servers_that_fall_in_the_middle_leave_one_ticket_a_key(scene: Scene, strike: str, seed: int) -> None:
    scene.crew.be_complete()
    wished = scene.wish(EVERYWHERE, KEYS * 2, together=seed % 2 == 0)

    STRIKES[strike](scene)
    scene.settle(wished)

    scene.judge(strike, wished)
