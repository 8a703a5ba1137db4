"""Prove that worker and pulse work together over a real queue."""

import json
import os
import subprocess
import sys
from base64 import b64decode
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import redis

from contracts.messages import ACKNOWLEDGED, TICKET_CHANGED, TICKETING_QUEUE, URGENT_TICKETING_QUEUE, Envelope
from runtime.queue import make_celery, publish
from services.ticketing.tests.conftest import Eyes
from services.ticketing.tests.fakes import message, order
from tests.support.databases import OpenDatabase

pytestmark = pytest.mark.store


@contextmanager
def _running(module: str, environment: dict[str, str], log: Path) -> Generator[None]:
    with log.open("w") as output:
        process = subprocess.Popen([sys.executable, "-m", module], env={**os.environ, **environment}, stderr=output)
        try:
            yield
        finally:
            process.terminate()
            process.wait(30)
    assert process.returncode == 0, log.read_text()


def _next_message(queue: redis.Redis) -> dict[str, Any]:  # the body of a celery message
    popped: Any = queue.blpop(["bff"], timeout=50)  # redis types its answers for sync and async at once
    assert popped is not None, "nothing arrived"
    body = json.loads(b64decode(json.loads(popped[1])["body"]))
    return body[0][0]


def _messages_to(tenant: str, queue: redis.Redis, count: int) -> list[dict[str, Any]]:
    """Take messages until this tenant has so many: some may come twice, others answer what was left unfinished."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    while len(found) < count:
        body = _next_message(queue)
        if body["tenant"] == tenant:
            found.setdefault((body["type"], body["subject"]), body)
    return list(found.values())


def _tenants(folder: Path) -> Path:
    file = folder / "tenants.yaml"
    file.write_text("tenants: {}")
    return file


def test_an_order_from_the_queue_is_answered_and_acknowledged(
    service_database: OpenDatabase, redis_url: str, tenant: str, eyes: Eyes, tmp_path: Path
) -> None:
    database = service_database("ticketing")
    environment = {
        "YOUJU_TICKETING_DATABASE_URL": database.app,
        "YOUJU_TICKETING_SWEEPER_DATABASE_URL": database.sweeper,
        "YOUJU_REDIS_URL": redis_url,
        "YOUJU_KEYS_DIRECTORY": str(tmp_path),
        "YOUJU_TENANTS_FILE": str(_tenants(tmp_path)),
    }
    queue = redis.Redis.from_url(redis_url, socket_timeout=60)
    queue.delete("bff", "ticketing")
    sender = make_celery("bff", redis_url=redis_url)

    with (
        _running("ticketing.worker", environment, tmp_path / "worker.log"),
        _running("ticketing.pulse", environment, tmp_path / "pulse.log"),
    ):
        publish(sender, queue="ticketing", envelope=Envelope.model_validate(message(order(tenant))))
        arrived = {body["type"]: body for body in _messages_to(tenant, queue, 2)}

    queue.delete("bff", "ticketing")
    queue.close()
    sender.close()
    assert arrived[TICKET_CHANGED]["data"]["ticketNumber"] == "T-1001"
    assert arrived[ACKNOWLEDGED]["attemptid"] == arrived[TICKET_CHANGED]["attemptid"]
    assert eyes.ticket()["state"] == "CREATED"
    assert '"event": "try_settled"' in (tmp_path / "worker.log").read_text(encoding="utf-8")


def test_an_urgent_order_waits_behind_no_others(
    service_database: OpenDatabase, redis_url: str, tenant: str, eyes: Eyes, tmp_path: Path
) -> None:
    database = service_database("ticketing")
    environment = {
        "YOUJU_TICKETING_DATABASE_URL": database.app,
        "YOUJU_TICKETING_WORKER_THREADS": "1",
        "YOUJU_REDIS_URL": redis_url,
        "YOUJU_KEYS_DIRECTORY": str(tmp_path),
        "YOUJU_TENANTS_FILE": str(_tenants(tmp_path)),
    }
    queue = redis.Redis.from_url(redis_url, socket_timeout=60)
    queue.delete("bff", TICKETING_QUEUE, URGENT_TICKETING_QUEUE)
    sender = make_celery("bff", redis_url=redis_url)
    wanted = [(f"calm-{number}", TICKETING_QUEUE) for number in range(6)]
    wanted += [(f"urgent-{number}", URGENT_TICKETING_QUEUE) for number in range(3)]
    for key, name in wanted:
        publish(sender, queue=name, envelope=Envelope.model_validate(message(order(tenant, ticket_key=key))))

    with _running("ticketing.worker", environment, tmp_path / "worker.log"):
        acknowledged = [body["subject"] for body in _messages_to(tenant, queue, len(wanted))]

    queue.delete("bff", TICKETING_QUEUE, URGENT_TICKETING_QUEUE)
    queue.close()
    sender.close()
    assert set(acknowledged) == {key for key, _ in wanted}
    # Taking from both queues in turns, the third urgent order would be the fifth of all.
    assert {f"urgent-{number}" for number in range(3)} <= set(acknowledged[:4])
    assert len(eyes.rows("SELECT id FROM desk_ticket")) == len(wanted)
