"""Send escalations through outbox, Valkey, worker and built-in desk, beside as many Celery tasks with one INSERT each.

    python -m bench.escalations
    python -m bench.escalations --count 100000 --no-bare

Every process is the real one: relay and worker of bff, relay and worker of ticketing. First all at once, which gives the
throughput; then at half of that rate, which gives the time from the commit of a wish to its ticket. Memory is that of all
four processes, sampled while a backlog drains. Ends with 1 when a bar is missed.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Final, LiteralString

import psutil
import psycopg
from celery import Celery
from psycopg.types.json import Jsonb

from bench.bare_worker import INSERT_ROW, QUEUE
from bench.measures import Times, at_least, at_most, print_bars, times
from contracts.ids import uuid7
from contracts.messages import CREATE_TICKET, TICKETING_QUEUE, CreateTicket
from contracts.reasons import RefusalReason
from runtime.outbox import CHANNEL
from runtime.queue import make_celery
from youju.database_urls import Passwords, ServiceDatabase, for_psycopg
from youju.embedded.postgres import Postgres
from youju.embedded.valkey import Valkey
from youju.keys import make_missing_keys
from youju.provisioning import provision

_SERVICES: Final = ("bff", "ticketing")
_PROCESSES: Final = ("bff.pulse", "bff.worker", "ticketing.pulse", "ticketing.worker")
_TENANT: Final = "shop"
_PATIENCE_SECONDS: Final = 1_800
_SHARE_OF_BARE: Final = 0.5
_PACED_SECONDS: Final = 20
_GROWTH: Final = 1.1
_QUESTION: Final = "质量问题退货，运费由谁承担？我想和人谈谈。"
_INSERT: Final[LiteralString] = """
    INSERT INTO outbox (id, tenant, type, queue, subject, attempt_id, data)
    VALUES (%(id)s, %(tenant)s, %(type)s, %(queue)s, %(subject)s, %(attempt)s, %(data)s)
"""
_CREATED: Final[LiteralString] = "SELECT count(*) FROM ticket WHERE state = 'CREATED'"
_TICKETS: Final[LiteralString] = "SELECT count(*), count(DISTINCT ticket_key) FROM desk_ticket"
_MOMENTS: Final[LiteralString] = "SELECT ticket_key, changed_at FROM ticket WHERE state = 'CREATED'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The servers of one run: addresses for psycopg as the superuser, by database."""

    bff: str
    ticketing: str
    redis: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Drained:
    """How a backlog drained: messages a second, and megabytes of all processes after a tenth and at most later.

    `busy` is what a message cost of each process, in milliseconds of a core.
    """

    rate: float
    busy: tuple[float, ...]
    early: float
    peak: float


def main() -> int:
    """Measure and print."""
    options = _options()
    with _place() as (place, environment):
        bare = None if options.no_bare else _bare(place, options.count)
        with _running(environment) as processes:
            drained = _drain(place, processes, options.count)
            paced = None if options.no_bare else _paced(place, rate=drained.rate / 2)
        tickets, keys = _one(place.ticketing, _TICKETS)
    _print(drained, bare, paced)
    bars = [
        at_most("tickets beyond one a key", tickets - keys, 0),
        at_most("memory at most, beside that after a tenth", drained.peak / drained.early, _GROWTH),
    ]
    if bare is not None:
        bars.append(at_least("escalations a second, beside bare tasks", drained.rate / bare, _SHARE_OF_BARE))
    return 0 if print_bars(bars) else 1


def _drain(place: Place, processes: list[psutil.Process], count: int) -> Drained:
    """Write all wishes in one transaction and watch until each is a ticket."""
    started, sizes, before = time.perf_counter(), list[tuple[int, float]](), _busy(processes)
    _write(place, count)
    while (done := _one(place.ticketing, _CREATED)[0]) < count:
        sizes.append((done, sum(each.memory_info().rss for each in processes) / 1e6))
        _refuse_to_wait(started)
        time.sleep(0.2)
    early = max(size for done, size in sizes if done <= count / 10 or done == sizes[0][0])
    rate = count / (time.perf_counter() - started)
    busy = tuple((now - then) * 1000 / count for now, then in zip(_busy(processes), before, strict=True))
    return Drained(rate=rate, busy=busy, early=early, peak=max(size for _, size in sizes))


def _busy(processes: list[psutil.Process]) -> list[float]:
    return [sum(each.cpu_times()[:2]) for each in processes]


def _paced(place: Place, *, rate: float) -> Times:
    """Write wishes one by one at a rate, each committed alone, and time them to their tickets."""
    before, wished = _one(place.ticketing, _CREATED)[0], dict[str, datetime]()
    started = time.perf_counter()
    with psycopg.connect(place.bff, autocommit=True) as connection:
        for number in range(round(rate * _PACED_SECONDS)):
            time.sleep(max(started + number / rate - time.perf_counter(), 0))
            key = _wish(connection, number)
            connection.execute(f"NOTIFY {CHANNEL}".encode())
            wished[key] = datetime.now(UTC)
    while _one(place.ticketing, _CREATED)[0] < before + len(wished):
        _refuse_to_wait(started)
        time.sleep(0.2)
    with psycopg.connect(place.ticketing) as connection:
        created: dict[str, datetime] = dict(connection.execute(_MOMENTS).fetchall())
    return times([(created[key] - moment).total_seconds() * 1000 for key, moment in wished.items()])


def _bare(place: Place, count: int) -> float:
    """Send as many tasks with one INSERT each and say how many a second are done."""
    with psycopg.connect(place.ticketing, autocommit=True) as connection:
        connection.execute("CREATE TABLE bare (id bigserial PRIMARY KEY, body text NOT NULL)")
    command = [sys.executable, "-m", "bench.bare_worker", place.ticketing, place.redis]
    worker = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603 - our own program
    try:
        celery = make_celery(QUEUE, redis_url=place.redis)
        _send(celery, place, 1)
        started = time.perf_counter()
        _send(celery, place, count)
        return count / (time.perf_counter() - started)
    finally:
        worker.terminate()
        worker.wait(60)


def _send(celery: Celery, place: Place, count: int) -> None:
    started, before = time.perf_counter(), _one(place.ticketing, "SELECT count(*) FROM bare")[0]
    body = _order(0).model_dump_json()
    for _ in range(count):
        celery.send_task(INSERT_ROW, args=[body], queue=QUEUE)
    while _one(place.ticketing, "SELECT count(*) FROM bare")[0] < before + count:
        _refuse_to_wait(started)
        time.sleep(0.05)


def _write(place: Place, count: int) -> None:
    with psycopg.connect(place.bff) as connection:
        for number in range(count):
            _wish(connection, number)
        connection.execute(f"NOTIFY {CHANNEL}".encode())


def _wish(connection: psycopg.Connection, number: int) -> str:
    order = _order(number)
    connection.execute(
        _INSERT,
        {
            "id": uuid7(),
            "tenant": _TENANT,
            "type": CREATE_TICKET,
            "queue": TICKETING_QUEUE,
            "subject": order.escalation_id,
            "attempt": order.attempt_id,
            "data": Jsonb(order.model_dump(mode="json")),
        },
    )
    return order.ticket_key


def _order(number: int) -> CreateTicket:
    escalation = f"esc_{uuid7().hex}"
    return CreateTicket(
        tenant=_TENANT,
        ticket_key=f"{_TENANT}:{escalation}",
        escalation_id=escalation,
        attempt_id=f"att_{uuid7().hex}",
        conversation_id=f"cnv_{uuid7().hex}",
        question=f"{_QUESTION} ({number})",
        answer=None,
        refused=True,
        reason_code=RefusalReason.HUMAN_REQUESTED,
        refusal_reason="您可以联系人工客服。",
        handoff="required",
        citations=(),
        feedback=None,
        lineage=(),
        transcript=(),
        note=None,
        language="zh",
        priority="normal",
        trace_id="0" * 32,
        requested_at=datetime.now(UTC),
    )


@contextmanager
def _place() -> Generator[tuple[Place, dict[str, str]]]:
    """Start Postgres and Valkey as `youju up` sets them, with the migrated databases of bff and ticketing."""
    with tempfile.TemporaryDirectory(prefix="youju-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        home.chmod(0o711)
        server, valkey = Postgres(home, home), Valkey(home, home)
        server.start()
        try:
            valkey.start()
            urls = {name: _provisioned(server, name) for name in _SERVICES}
            make_missing_keys(home)
            (home / "tenants.yaml").write_text(f"tenants: {{{_TENANT}: {{name: Shop}}}}")
            admin = {name: for_psycopg(server.admin_url, name) for name in _SERVICES}
            yield (
                Place(bff=admin["bff"], ticketing=admin["ticketing"], redis=valkey.url),
                _environment(home, valkey, urls),
            )
        finally:
            valkey.stop()
            server.stop()


def _provisioned(server: Postgres, name: str) -> ServiceDatabase:
    passwords = Passwords(owner=name, app=name, sweeper=name)
    urls = provision(server.admin_url, name, database=name, passwords=passwords)
    environment = os.environ | {f"YOUJU_{name.upper()}_OWNER_DATABASE_URL": urls.owner}
    command = [sys.executable, "-m", f"{name}.migrations"]
    subprocess.run(command, env=environment, check=True, capture_output=True)  # noqa: S603 - our own program
    return urls


def _environment(home: Path, valkey: Valkey, urls: dict[str, ServiceDatabase]) -> dict[str, str]:
    named = {f"YOUJU_{name.upper()}_DATABASE_URL": url.app for name, url in urls.items()}
    named |= {f"YOUJU_{name.upper()}_SWEEPER_DATABASE_URL": url.sweeper for name, url in urls.items()}
    return (
        os.environ
        | named
        | {
            "YOUJU_REDIS_URL": valkey.url,
            "YOUJU_KEYS_DIRECTORY": str(home),
            "YOUJU_TENANTS_FILE": str(home / "tenants.yaml"),
        }
    )


@contextmanager
def _running(environment: dict[str, str]) -> Generator[list[psutil.Process]]:
    """Run the four processes; what they log is kept with the rest of the run."""
    logs = Path(environment["YOUJU_KEYS_DIRECTORY"]) / "logs"
    with ExitStack() as files:
        started = [
            _started(name, environment, files.enter_context((logs / f"{name}.log").open("wb"))) for name in _PROCESSES
        ]
    try:
        yield [psutil.Process(each.pid) for each in started]
    finally:
        for each in started:
            each.terminate()
        for each in started:
            each.wait(60)


def _started(name: str, environment: dict[str, str], log: BinaryIO) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", name]
    return subprocess.Popen(command, env=environment, stdout=log, stderr=log)  # noqa: S603 - our own program


def _one(url: str, query: LiteralString) -> tuple[Any, ...]:  # a row of any table
    with psycopg.connect(url) as connection:
        return connection.execute(query).fetchone() or ()


def _refuse_to_wait(started: float) -> None:
    if time.perf_counter() - started > _PATIENCE_SECONDS:
        raise SystemExit("the messages did not arrive")


def _print(drained: Drained, bare: float | None, paced: Times | None) -> None:
    print(f"{'escalations a second, all at once':<52}{drained.rate:>10.0f}")
    if bare is not None:
        print(f"{'bare Celery tasks with one INSERT a second':<52}{bare:>10.0f}")
    if paced is not None:
        print(f"{'ms from wish to ticket at half that rate, p50 / p99':<52}{paced.p50:>10.0f} / {paced.p99:.0f}")
    print(f"{'ms of a core an escalation, by process':<52}" + " · ".join(_costs(drained)))
    print(f"{'MB of four processes after a tenth / at most':<52}{drained.early:>10.0f} / {drained.peak:.0f}")


def _costs(drained: Drained) -> list[str]:
    return [f"{name} {cost:.2f}" for name, cost in zip(_PROCESSES, drained.busy, strict=True)]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000, help="how many escalations")
    parser.add_argument("--no-bare", action="store_true", help="only drain the backlog")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
