"""Work through the messages of ticketing."""

from prometheus_client import start_http_server

from runtime.queue import make_celery, run_worker
from runtime.starting import start_process
from ticketing.settings import TicketingSettings
from ticketing.tasks.edge import SERVICE, make_edge
from ticketing.tasks.receiving import register_tasks


def run() -> None:
    """Run the worker with the settings of the environment."""
    settings = start_process(TicketingSettings, service=SERVICE)
    celery = make_celery(SERVICE, redis_url=settings.redis_url)
    edge = make_edge(settings, celery)
    edge.database.refuse_unsafe_role()
    register_tasks(celery, edge)
    if settings.worker_metrics_port is not None:
        start_http_server(settings.worker_metrics_port, addr=settings.host)
    run_worker(celery, concurrency=settings.worker_threads)
    edge.database.close()


if __name__ == "__main__":
    run()
