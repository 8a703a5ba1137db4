"""The bare limit of bench.escalations: a Celery worker whose only task is one INSERT."""

import sys
from typing import Final

import psycopg
from psycopg_pool import ConnectionPool

from runtime.queue import make_celery, run_worker

QUEUE: Final = "bare"
INSERT_ROW: Final = "bench.insert_row"
THREADS: Final = 8


def main() -> None:
    """Work until told to stop. Arguments: the address of the database, that of Valkey."""
    database_url, redis_url = sys.argv[1:]
    celery = make_celery(QUEUE, redis_url=redis_url)
    with ConnectionPool(database_url, min_size=THREADS, max_size=THREADS) as pool:

        def insert_row(body: str) -> None:
            connection: psycopg.Connection
            with pool.connection() as connection:
                connection.execute("INSERT INTO bare (body) VALUES (%s)", (body,))

        celery.task(name=INSERT_ROW, shared=False)(insert_row)
        run_worker(celery, concurrency=THREADS)


if __name__ == "__main__":
    main()
