"""Puts together what attempts run with: writers, log, pools, and the name of the settings that decide about answers."""

import hashlib
import json
import secrets
from dataclasses import dataclass
from time import monotonic
from typing import Final

from knowledge.adapters.answer_log import PostgresAnswerLog
from knowledge.adapters.computing import ComputePool
from knowledge.adapters.extractive import ExtractiveWriter
from knowledge.adapters.measures import measured_stage
from knowledge.adapters.running import Attempts
from knowledge.answering.log import AnswerLog
from knowledge.answering.templates import TEMPLATES
from knowledge.asking import Means
from knowledge.ingestion.analyser import ANALYSER
from knowledge.retrieval.searching import Searcher
from runtime.clock import Clock
from runtime.database import Database

_HANDLE_BYTES: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """What the routes that answer need; close it before the database."""

    attempts: Attempts
    log: AnswerLog
    searcher: Searcher
    compute: ComputePool

    async def close(self) -> None:
        """Let running attempts end, then give the threads back."""
        await self.attempts.close()
        self.compute.close()


def open_answering(
    *, database: Database, searcher: Searcher, clock: Clock, embedder: str, most_running: int
) -> Answering:
    """Open what attempts need over a database and a searcher. `embedder` is the identity of what reads questions."""
    compute = ComputePool(queue=most_running)
    writer = ExtractiveWriter(compute)
    log = PostgresAnswerLog(database, settings_fingerprint=fingerprint(embedder=embedder, writer=writer.name))
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
    )
    attempts = Attempts(means, most_running=most_running)
    return Answering(attempts=attempts, log=log, searcher=searcher, compute=compute)


def fingerprint(*, embedder: str, writer: str) -> str:
    """Name the settings of the code that decide what an answer says, besides version, policy and calibration."""
    said = json.dumps([ANALYSER, embedder, writer, sorted(TEMPLATES)], ensure_ascii=False)
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def new_handle() -> str:
    """Mint a handle that nobody can guess or count."""
    return f"p-{secrets.token_hex(_HANDLE_BYTES)}"
