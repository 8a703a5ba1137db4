"""Celery over Redis: JSON only, acknowledged late, no results, no countdowns; recovery comes from rows.

Delivery is at least once. A task that fails is not retried by the broker: its outbox row stays unacknowledged and
is sent again, so tries are counted where they can be read.
"""

import logging
import signal
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, cast

import redis
from celery import Celery, Task
from celery.signals import heartbeat_sent, setup_logging, worker_ready, worker_shutdown
from kombu.exceptions import OperationalError
from opentelemetry import trace
from prometheus_client import Counter

from contracts.errors import TryAgainError
from contracts.ids import uuid7
from contracts.messages import ACKNOWLEDGED, BATCHES, Acknowledged, Envelope
from runtime.health import keep_ready, mark_ready, mark_stopped
from runtime.logging import bound, get_logger
from runtime.prefetch import FreePlaces
from runtime.telemetry import MESSAGE_TYPE

VISIBILITY_SECONDS: Final = 300
TASK_LIMIT_SECONDS: Final = 60

_HANDLED = Counter("youju_messages_handled_total", "Messages handled by a worker", ["type", "result"])
_log = get_logger("queue")


def make_celery(service: str, *, redis_url: str) -> Celery:
    """Make the Celery application of a service; its queue bears the service's name."""
    app = Celery(f"youju-{service}", broker=broker_url(redis_url), task_cls=ServiceTask)
    app.conf.update(
        task_default_queue=service,
        task_serializer="json",
        accept_content=["json"],
        task_ignore_result=True,
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        task_time_limit=TASK_LIMIT_SECONDS,
        task_store_eager_result=False,
        worker_prefetch_multiplier=1,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        worker_enable_remote_control=False,
        worker_send_task_events=False,
        broker_connection_retry_on_startup=True,
        broker_transport_options={
            "visibility_timeout": VISIBILITY_SECONDS,
            "socket_timeout": 5,
            "socket_connect_timeout": 5,
        },
        timezone="UTC",
    )
    cast("dict[str, set[type]]", app.steps)["consumer"].add(FreePlaces)  # celery ships no types
    return app


def run_worker(app: Celery, *, concurrency: int) -> None:
    """Run a worker in threads until told to stop; says when it is ready.

    Threads, not processes: the work is either network calls or numpy, which lets go of the interpreter lock.
    """
    worker_ready.connect(_on_ready, weak=False)
    heartbeat_sent.connect(_on_heartbeat, weak=False)
    worker_shutdown.connect(_on_stopped, weak=False)
    setup_logging.connect(_keep_logging, weak=False)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    app.Worker(pool="threads", concurrency=concurrency, without_gossip=True, without_mingle=True).start()


def broker_url(redis_url: str) -> str:
    """Spell a Redis URL the way kombu wants a socket: `unix://` becomes `redis+socket://`."""
    return redis_url.replace("unix://", "redis+socket://", 1)


class ServiceTask(Task):
    """The plumbing of every task: log context, counters, and the outermost frame for errors."""

    def __call__(self, *args: Any, **kwargs: Any) -> object:  # celery's signature
        """Run the body with the task's name bound to every log event."""
        with bound(task=self.name):
            try:
                result = cast("object", super().__call__(*args, **kwargs))  # celery ships no types
            except Exception:
                _HANDLED.labels(self.name, "failed").inc()
                _log.exception("task_failed")
                raise
            _HANDLED.labels(self.name, "done").inc()
            return result


def publish(app: Celery, *, queue: str, envelope: Envelope) -> None:
    """Hand an envelope to a queue. Errors: TryAgainError when the broker does not take it."""
    publish_all(app, queue=queue, envelopes=[envelope])


def publish_all(app: Celery, *, queue: str, envelopes: Sequence[Envelope]) -> None:
    """Hand envelopes of one type to a queue, several as one batch.

    Errors: TryAgainError when the broker does not take it; then it took none.
    """
    bodies = [envelope.model_dump(mode="json") for envelope in envelopes]
    name = envelopes[0].type
    trace.get_current_span().set_attribute(MESSAGE_TYPE, name)
    if len(bodies) == 1:
        _send(app, name, bodies[0], queue=queue)
    else:
        _send(app, BATCHES[name], bodies, queue=queue)


def waiting(app: Celery, queue: str) -> int:
    """Count what waits in a queue for a worker. Errors: TryAgainError when the broker cannot be asked."""
    try:
        untyped: Any = app  # kombu ships no types
        with untyped.connection_or_acquire() as connection:
            return int(connection.default_channel.client.llen(queue))
    except (OperationalError, OSError, redis.RedisError) as refused:
        raise TryAgainError from refused


def acknowledge_all(app: Celery, received: Sequence[Envelope], *, source: str, now: datetime) -> None:
    """Tell each sender at once which of its messages are handled.

    Errors: TryAgainError; a lost acknowledgement only causes one more harmless repeat.
    """
    answers: dict[str, list[Envelope]] = {}
    for each in received:
        answers.setdefault(each.source, []).append(_answer(each, source=source, now=now))
    for queue, envelopes in answers.items():
        publish_all(app, queue=queue, envelopes=envelopes)


def _send(app: Celery, name: str, argument: object, *, queue: str) -> None:
    try:
        app.send_task(name, args=[argument], queue=queue, retry=False)
    except (OperationalError, OSError, redis.RedisError) as refused:
        raise TryAgainError from refused


def _answer(received: Envelope, *, source: str, now: datetime) -> Envelope:
    return Envelope(
        id=str(uuid7()),
        source=source,
        type=ACKNOWLEDGED,
        subject=received.subject,
        time=now,
        tenant=received.tenant,
        attemptid=received.attemptid,
        data=Acknowledged(message_id=received.id).model_dump(mode="json"),
    )


def _keep_logging(**_signal: object) -> None:
    # That somebody answers this signal keeps Celery from raising the level of the root logger above our events.
    for name in ("celery", "kombu"):
        logging.getLogger(name).setLevel(logging.WARNING)


def _on_ready(**_signal: object) -> None:
    mark_ready()


def _on_heartbeat(**_signal: object) -> None:
    keep_ready()


def _on_stopped(**_signal: object) -> None:
    mark_stopped()
