"""Work through the messages of ticketing."""

from celery import Celery
from kombu.entity import Exchange, Queue
from prometheus_client import start_http_server

from contracts.messages import TICKETING_QUEUE, URGENT_TICKETING_QUEUE
from runtime.queue import make_celery, run_worker
from runtime.refusing_start import refusing_plainly
from runtime.starting import start_process
from ticketing.settings import TicketingSettings
from ticketing.tasks.batches import register_batches
from ticketing.tasks.edge import SERVICE, make_edge, watch_clock
from ticketing.tasks.places import places_among
from ticketing.tasks.receiving import register_tasks


@refusing_plainly(SERVICE)
def run() -> None:
    """Run the worker with the settings of the environment."""
    settings = start_process(TicketingSettings, service=SERVICE)
    celery = make_celery(SERVICE, redis_url=settings.redis_url)
    put_urgent_first(celery)
    edge = make_edge(settings, celery, places=places_among(settings.worker_threads))
    edge.database.refuse_unsafe_role()
    watch_clock(edge)
    register_tasks(celery, edge)
    register_batches(celery, edge)
    if settings.worker_metrics_port is not None:
        start_http_server(settings.worker_metrics_port, addr=settings.host)
    run_worker(celery, concurrency=settings.worker_threads)
    edge.database.close()


def put_urgent_first(celery: Celery) -> None:
    """Let the worker take from the urgent queue whenever there is anything in it."""
    names = (URGENT_TICKETING_QUEUE, TICKETING_QUEUE)
    celery.conf.task_queues = [Queue(name, Exchange(name), routing_key=name) for name in names]
    # The other strategies of the Redis transport take from all queues in turns.
    celery.conf.broker_transport_options["queue_order_strategy"] = "priority"


if __name__ == "__main__":
    run()
