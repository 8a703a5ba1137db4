"""Gives the passages of a version the vectors of their sentences, behind its import and after everything else.

A search does without them where they are missing; publishing does not wait.
"""

from typing import Final

import redis
from celery import Celery
from kombu.exceptions import OperationalError

from knowledge.ingestion import store as index_store
from knowledge.ingestion.indexing import pending_sentences
from knowledge.ingestion.jobs import IndexedSentence
from knowledge.tasks.bench import Bench
from knowledge.tasks.embedding import first_vectors
from knowledge.tasks.upkeep import refresh_sentences
from knowledge.versions.store import sentences
from runtime.logging import bound, get_logger

EMBED_SENTENCES: Final = "knowledge.embed_sentences"

# Steps are short, so that an import waits a few seconds for one at most.
_PASSAGES_A_STEP: Final = 200
_CHARACTERS_A_STEP: Final = 30_000
# The last of the broker's ten: every other task of the queue comes first.
_LOWEST_PRIORITY: Final = 9

_log = get_logger("sentences")


def embed_sentences(bench: Bench, *, tenant: str, version: int) -> bool:
    """Embed the sentences of some passages and say whether a step may follow.

    Repeat: what has its sentences is not embedded again, whichever version brought it; a step that is taken by another
    worker, and a version that was given up, are left alone.
    Errors: LostLeaseError when the step took so long that another worker has it now.
    """
    with bench.database.transaction(tenant) as connection:
        backlog = sentences.claim(
            connection, version=version, embedder=bench.embedder.identity, lease_token=bench.new_id()
        )
        if backlog is None:
            return False
        waiting = sentences.waiting_passages(
            connection, backlog, tenant=tenant, limit=_PASSAGES_A_STEP, characters=_CHARACTERS_A_STEP
        )
        if not waiting:
            sentences.close_backlog(connection, backlog)
    if not waiting:
        refresh_sentences(bench, tenant, version=version)
        return False
    said = {each.passage_id: pending_sentences(each.text) for each in waiting}
    vectors = first_vectors(bench, tenant, sorted({each.form for listed in said.values() for each in listed}))
    indexed = [
        IndexedSentence(passage_id=passage_id, ordinal=ordinal, span=each.span, vector=vectors[each.form])
        for passage_id, listed in said.items()
        for ordinal, each in enumerate(listed)
    ]
    with bench.database.transaction(tenant) as connection:
        sentences.hold(connection, backlog)
        index_store.store_sentences(connection, tenant=tenant, indexed=indexed)
        sentences.hand_on(connection, backlog, waiting)
    return True


def register_sentences(app: Celery, bench: Bench, *, queue: str) -> None:
    """Teach a worker to embed sentences."""

    def embed(tenant: str, version: int) -> None:
        """Embed some. Repeat: see `embed_sentences`."""
        with bound(tenant=tenant, version=version):
            if embed_sentences(bench, tenant=tenant, version=version):
                enqueue_sentences(app, tenant=tenant, version=version, queue=queue)

    app.task(embed, name=EMBED_SENTENCES)


def enqueue_sentences(app: Celery, *, tenant: str, version: int, queue: str) -> None:
    """Ask a worker for a step, behind everything else that waits. Errors: none; the pulse asks again."""
    try:
        app.send_task(EMBED_SENTENCES, args=[tenant, version], queue=queue, priority=_LOWEST_PRIORITY, retry=False)
    except (OperationalError, OSError, redis.RedisError):
        _log.warning("sentences_delayed", tenant=tenant, version=version)
