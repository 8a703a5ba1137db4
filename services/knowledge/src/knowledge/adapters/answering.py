"""Puts together what attempts run with: writers, log, pools, and the name of the settings that decide about answers."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Final

from contracts.tenants import ReviewSampling, Tenant
from knowledge.adapters.answer_log import PostgresAnswerLog
from knowledge.adapters.budgets import Budgets
from knowledge.adapters.claim_judge import ClaimJudge
from knowledge.adapters.computing import ComputePool
from knowledge.adapters.extractive import ExtractiveWriter
from knowledge.adapters.measures import measured_stage
from knowledge.adapters.running import Attempts
from knowledge.adapters.spending import spending_in
from knowledge.adapters.writers import Models, Tenants, Writers
from knowledge.answering.log import AnswerLog
from knowledge.asking import Means
from knowledge.evaluation.fingerprint import process_fingerprint
from knowledge.retrieval.searching import Searcher
from knowledge.validation.agreeing import Compare
from runtime.clock import Clock
from runtime.database import Database

_HANDLE_BYTES: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """What the routes that answer need; close it before the database."""

    attempts: Attempts
    means: Means
    """What each attempt starts with."""
    log: AnswerLog
    searcher: Searcher
    compute: ComputePool
    writers: Writers
    judge: ClaimJudge | None
    fingerprint_of: Callable[[str], str]
    """Names the settings that decide about a tenant's answers now."""

    async def close(self) -> None:
        """Let running attempts end, then give threads and connections back."""
        await self.attempts.close()
        self.compute.close()
        await self.writers.close()
        if self.judge is not None:
            await self.judge.close()


def open_answering(  # noqa: PLR0913 - what an attempt depends on, each named by its caller
    *,
    database: Database,
    searcher: Searcher,
    clock: Clock,
    embedder: str,
    most_running: int,
    tenants: Tenants | None = None,
    models: Models | None = None,
    compare: Compare | None = None,
    judge: ClaimJudge | None = None,
    budgets: Budgets | None = None,
) -> Answering:
    """Open what attempts need over a database and a searcher. `embedder` is the identity of what reads questions.

    `budgets` are shared with the judge, so that both count what either has spent.
    """
    compute = ComputePool(queue=most_running)
    writer = ExtractiveWriter(compute)
    known = tenants or _NoTenants()

    def sampling_of(tenant: str) -> ReviewSampling:
        found = known.find(tenant)
        return found.review if found is not None else ReviewSampling()

    def fingerprint_of(tenant: str) -> str:
        wants_opinion = (wanting := known.find(tenant)) is not None and wanting.second_opinion
        opinion = judge.model if wants_opinion and judge is not None else ""
        return process_fingerprint(embedder=embedder, writer=writers.identity(tenant), second_opinion=opinion)

    log = PostgresAnswerLog(database, fingerprint_of=fingerprint_of, sampling_of=sampling_of)
    counted = budgets or open_budgets(database)
    writers = Writers(extractive=writer, models=models, tenants=known, budgets=counted, clock=clock)
    means = Means(
        searcher=searcher,
        writer=writer,
        fallback=writer,
        log=log,
        compute=compute,
        stage=measured_stage,
        seconds=monotonic,
        deadline_seconds=0.0,
        now=clock,
        new_handle=new_handle,
        compare=compare,
        second_opinion=judge,
    )
    attempts = Attempts(means, most_running=most_running, writers=writers)
    return Answering(
        attempts=attempts,
        means=means,
        log=log,
        searcher=searcher,
        compute=compute,
        writers=writers,
        judge=judge,
        fingerprint_of=fingerprint_of,
    )


def open_budgets(database: Database) -> Budgets:
    """Open what counts the costs of tenants for one process."""
    return Budgets(spending_in(database), seconds=monotonic)


def new_handle() -> str:
    """Mint a handle that nobody can guess or count."""
    return f"p-{secrets.token_hex(_HANDLE_BYTES)}"


class _NoTenants:
    """Knows no tenant, so that the extractive writer answers everybody."""

    def find(self, key: str) -> Tenant | None:
        del key
        return None
