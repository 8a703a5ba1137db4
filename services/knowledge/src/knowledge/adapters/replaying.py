"""Runs an old attempt again through the code that answers, held to its version, with the drafts of the log."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Final
from uuid import UUID

from knowledge.adapters.answering import Answering
from knowledge.adapters.pinned import NoLog, PinnedSearcher
from knowledge.asking import Means, answer
from knowledge.auditing.replaying import (
    AttemptNotFoundError,
    AttemptOpenError,
    Kept,
    LoggedOpinion,
    Replay,
    compare,
    compare_drafts,
    writers_of,
)
from knowledge.auditing.store.attempts import is_open, read_kept, withdrawn_among
from runtime.clock import business_day
from runtime.database import Database

# On a clock that stands still: what is measured in a replay is not how fast it is.
_SECONDS: Final = 60.0


async def replay(held: Answering, database: Database, *, tenant: str, attempt_id: UUID, time_zone: str) -> Replay:
    """Run an attempt again and compare. What was erased is not run, and says so.

    Errors: AttemptNotFoundError; AttemptOpenError; NotFoundError when its version can no longer serve.
    """
    async with database.transaction(tenant) as connection:
        kept = await read_kept(connection, tenant, attempt_id, today_of=lambda moment: business_day(moment, time_zone))
        if kept is None and await is_open(connection, tenant, attempt_id):
            raise AttemptOpenError
        if kept is None:
            raise AttemptNotFoundError
        named = {*kept.closing.context, *(each.passage_id for each in kept.closing.citations)}
        withdrawn = await withdrawn_among(connection, tenant, sorted(named))
    still = Replay(
        kept=kept,
        settings_differ=kept.fingerprint != held.fingerprint_of(tenant),
        differences=(),
        drafts=compare_drafts(kept.closing, kept.closing),
        withdrawn=withdrawn,
    )
    if kept.erased_at is not None or kept.closing.version is None:
        return still
    await held.searcher.serving(tenant=tenant, version=kept.closing.version)
    now = await answer(kept.asked, means=_means(held.means, kept, version=kept.closing.version))
    drafts = compare_drafts(kept.closing, now)
    return replace(still, differences=compare(kept.closing, now), drafts=drafts)


def _means(means: Means, kept: Kept, *, version: int) -> Means:
    writer, fallback = writers_of(kept.closing.drafts)
    return replace(
        means,
        searcher=PinnedSearcher(inner=means.searcher, version=version),
        writer=writer,
        fallback=fallback,
        second_opinion=LoggedOpinion(writer.handed),
        log=NoLog(),
        stage=_unmeasured,
        seconds=lambda: 0.0,
        deadline_seconds=_SECONDS,
        now=lambda: kept.closing.closed_at,
    )


def _unmeasured(name: str) -> AbstractContextManager[None]:
    del name
    return nullcontext()
