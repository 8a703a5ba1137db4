"""Time a search as a whole and in its parts, beside the bare statements and the bare models."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Final

import numpy as np
import psycopg

from bench.installation import TODAY, Knowledge
from bench.measures import Times, times
from knowledge.adapters.candidates import gather, gather_words
from knowledge.adapters.searcher import DatabaseSearcher, Opened
from knowledge.ingestion.embedding import Vector, embedded_form
from knowledge.retrieval.searching import graph_width
from knowledge.retrieval.store import reading, scoring

_SHOWN: Final = 8
_NEAREST: Final = 10

_BARE_WORDS: Final = """
    SELECT passage, sum(impact * idf) AS score
    FROM unnest(%(terms)s::bigint[], %(idfs)s::float8[]) AS asked (term, idf)
    JOIN posting ON posting.tenant = %(tenant)s AND posting.term = asked.term
    GROUP BY passage ORDER BY score DESC LIMIT 50
"""
_BARE_GRAPH: Final = """
    SELECT passage FROM passage_vector WHERE tenant = %(tenant)s AND hot
    ORDER BY embedding <=> %(question)s::halfvec(512) LIMIT 50
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Questions of one kind of customer to one tenant."""

    tenant: str
    segments: tuple[str, ...]
    questions: Sequence[str]


class NoEmbedder:
    """Fulfils `Embedder` without work, to time a search by words alone under the identity of the real one."""

    def __init__(self, identity: str) -> None:
        """Take the identity that versions were built with."""
        self.identity = identity

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Give no direction at all. Shapes: one vector a text."""
        return [np.zeros(512, dtype=np.float32) for _ in texts]


async def time_searches(searcher: DatabaseSearcher, asking: Asking) -> Times:
    """Time whole searches, one after the other."""

    async def search(question: str) -> None:
        await searcher.search(tenant=asking.tenant, segments=asking.segments, question=question, as_of=TODAY)

    return await _timed(asking.questions, search)


async def time_words(searcher: DatabaseSearcher, asking: Asking) -> Times:
    """Time the arm of words alone: analyse, weigh, score, and read the texts of the best."""

    async def search(question: str) -> None:
        async with _opened(searcher, asking, question) as opened:
            asked = opened.asked
            found = await gather_words(opened.connection, asked)
            ids = list(found)[:_SHOWN]
            await reading.read_passages(opened.connection, tenant=asking.tenant, ids=ids, sentences={})

    return await _timed(asking.questions, search)


async def time_bare_statements(opened: Knowledge, admin_url: str, asking: Asking) -> tuple[Times, Times]:
    """Time the sum over postings and the walk through the graph, without tenants' walls, audiences or days."""
    words: list[float] = []
    graph: list[float] = []
    with psycopg.connect(admin_url, autocommit=True) as admin:
        admin.execute("SET plan_cache_mode = force_custom_plan")
        for question in asking.questions:
            async with _opened(opened.searcher, asking, question) as found:
                asked = found.asked
            admin.execute(f"SET hnsw.ef_search = {graph_width(asked.row.servable_passages)}".encode())
            listed = {"terms": list(asked.weighed), "idfs": list(asked.weighed.values())}
            words.append(_milliseconds(admin, _BARE_WORDS, listed | {"tenant": asking.tenant}))
            vector = asked.read.first
            graph.append(_milliseconds(admin, _BARE_GRAPH, {"tenant": asking.tenant, "question": vector}))
    return times(words), times(graph)


def time_embedding(embed: Callable[[Sequence[str]], object], questions: Sequence[str]) -> Times:
    """Time a model on one question after the other."""
    taken: list[float] = []
    for question in questions:
        form = embedded_form(question)
        started = time.perf_counter()
        embed([form])
        taken.append((time.perf_counter() - started) * 1000)
    return times(taken)


async def recall(searcher: DatabaseSearcher, asking: Asking, *, second: bool = False) -> float:
    """Compare the ten nearest passages that the search finds to those that comparing every passage finds."""
    shares: list[float] = []
    for question in asking.questions:
        async with _opened(searcher, asking, question) as opened:
            asked = opened.asked
            compared = asked.arms.second if second else asked.first
            if compared is None:
                raise AssertionError("the version has no such arm")
            gathered = await gather(opened.connection, asked)
            nearest = scoring.exact_arm(asked.view, compared, limit=_NEAREST)
            (exact,) = await scoring.score_together(opened.connection, [nearest])
        found = gathered.second if second else gathered.similar
        shares.append(len(set(list(found)[:_NEAREST]) & set(exact)) / max(len(exact), 1))
    return sum(shares) / len(shares)


def _opened(searcher: DatabaseSearcher, asking: Asking, question: str) -> AbstractAsyncContextManager[Opened]:
    return searcher.open(tenant=asking.tenant, segments=asking.segments, question=question, as_of=TODAY, version=None)


async def _timed(questions: Sequence[str], ask: Callable[[str], Awaitable[None]]) -> Times:
    taken: list[float] = []
    for question in questions:
        started = time.perf_counter()
        await ask(question)
        taken.append((time.perf_counter() - started) * 1000)
    return times(taken)


def _milliseconds(admin: psycopg.Connection, statement: str, parameters: Mapping[str, object]) -> float:
    started = time.perf_counter()
    admin.execute(statement.encode(), parameters).fetchall()
    return (time.perf_counter() - started) * 1000
