"""Whatever the shape of a tenant, a search gives all there is and reads no more than it needs.

A broad audience, one that sees three passages in a thousand, and a tiny tenant in the partition of a huge one.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any, LiteralString

import psycopg
import pytest
from psycopg import Connection
from sqlalchemy import text
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.ingestion.analyser import term_id
from knowledge.retrieval import statements
from knowledge.retrieval.store import opening, scoring
from runtime.database import Database
from runtime.round_trips import Ask, Rows, ask_together
from tests.support.databases import OpenDatabase
from tests.support.knowledge import Importer, policy
from youju.database_urls import for_psycopg

pytestmark = pytest.mark.store

_DAY = date(2026, 7, 15)
_QUESTION = "[" + ",".join(["0.1"] * 512) + "]"
_BROAD, _NARROW = 1_000, 3

# One revision has another audience than all others; term 1 stands in every passage.
_FILL = """
    SELECT set_config('youju.tenant', '{tenant}', true), setseed(0.5);
    INSERT INTO audience (tenant, segments) VALUES ('{tenant}', 'public'), ('{tenant}', 'narrow');
    INSERT INTO audience_segment SELECT '{tenant}', segments, id FROM audience WHERE tenant = '{tenant}';
    INSERT INTO tenant_pointer VALUES ('{tenant}', 1, 1);
    INSERT INTO version (tenant, number, state, routing_policy, analyser, embedder, created_by)
        VALUES ('{tenant}', 1, 'PUBLISHED', '', '', '', '');
    INSERT INTO document (tenant, id, slug)
        SELECT '{tenant}', gen_random_uuid(), 's' || n FROM generate_series(0, {documents}) n;
    INSERT INTO revision (tenant, id, document, label, title, language, tags, priority, audience_id, requires_facts,
                          decision, public, path, source, content_sha256, fingerprint)
        SELECT '{tenant}', gen_random_uuid(), document.id, '1', 't', 'zh', '{{}}', 0, audience.id, '{{}}', 'rule', false,
               'p', 's', slug, slug
        FROM document
        JOIN audience ON audience.tenant = document.tenant
                     AND audience.segments = CASE WHEN slug = 's0' THEN 'narrow' ELSE 'public' END
        WHERE document.tenant = '{tenant}';
    INSERT INTO version_revision SELECT '{tenant}', 1, id FROM revision WHERE tenant = '{tenant}';
    INSERT INTO passage (tenant, id, revision, ordinal, heading_path, text, source_start, source_end, audience_id,
                         in_force_from, in_force_until, language, terms, indexed)
        SELECT '{tenant}', gen_random_uuid(), revision.id, n, '{{}}', 'text', 0, 4, audience_id, in_force_from,
               in_force_until, 'zh', 4, true
        FROM revision JOIN audience ON audience.id = audience_id AND audience.tenant = revision.tenant,
             generate_series(1, 10) n
        WHERE revision.tenant = '{tenant}' AND (segments = 'public' OR n <= 3);
    INSERT INTO posting SELECT '{tenant}', term, id, 1 FROM passage, generate_series(1, 20) term
        WHERE tenant = '{tenant}' AND (term = 1 OR random() < 0.1);
    INSERT INTO passage_vector
        SELECT '{tenant}', id, (SELECT array_agg(random() - 0.4) FROM generate_series(1, 512 + 0 * passage.ordinal))::halfvec(512),
               true
        FROM passage WHERE tenant = '{tenant}';
"""


@dataclass(frozen=True, slots=True)
class Shapes:
    """The app role's connection and the tenants' names."""

    connection: Connection
    names: dict[str, str]

    def explained(self, statement: str, tenant: str, segment: str) -> dict[str, Any]:  # Postgres's JSON plan
        """Run a statement for a customer of a segment and give its plan with what it did."""
        name = self.names[tenant]
        self.connection.execute("SELECT set_config('youju.tenant', %s, false)", (name,))
        audiences = self._values("SELECT audience_id FROM audience_segment WHERE segment = %s", segment)
        ids = self._values("SELECT id FROM passage WHERE audience_id = ANY(%s) LIMIT 3", audiences)
        known: dict[str, object] = {"tenant": name, "version": 1, "audiences": audiences, "as_of": _DAY, "terms": [1]}
        known |= {"idfs": [1.0], "limit": 50, "question": _QUESTION, "ids": ids}
        compiled = text(statement).compile(dialect=postgresql.psycopg.dialect())
        explain = f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {compiled}".encode()
        row = self.connection.execute(explain, {key: known[key] for key in compiled.params}).fetchone()
        assert row is not None
        plans: list[dict[str, Any]] = row[0]  # as above
        return plans[0]["Plan"]

    def _values(self, query: LiteralString, given: object) -> list[object]:
        return [value for (value,) in self.connection.execute(query, (given,)).fetchall()]


@pytest.fixture(scope="module")
def shapes(service_database: OpenDatabase) -> Iterator[Shapes]:
    """Give the app role over a huge and a tiny tenant in the same partitions."""
    urls = service_database("knowledge")
    with psycopg.connect(for_psycopg(urls.owner), autocommit=True) as owner:
        tiny = _neighbour(owner)
        _fill(owner, "huge", documents=100)
        _fill(owner, tiny, documents=0)
        owner.execute("ANALYZE")
    with psycopg.connect(for_psycopg(urls.app), autocommit=True) as connection:
        for setting in ("plan_cache_mode = force_custom_plan", "hnsw.ef_search = 200", "jit = off"):
            connection.execute(f"SET {setting}".encode())
        connection.execute("SET hnsw.iterative_scan = relaxed_order")
        yield Shapes(connection, {"huge": "huge", "tiny": tiny})


@pytest.mark.parametrize(
    "statement", [statements.LEXICAL, statements.exact(statements.FIRST), statements.approximate(statements.FIRST)]
)
@pytest.mark.parametrize(
    ("tenant", "segment", "expected"), [("huge", "public", 50), ("huge", "narrow", _NARROW), ("tiny", "narrow", 3)]
)
def test_every_shape_gets_all_there_is(
    shapes: Shapes, statement: str, tenant: str, segment: str, expected: int
) -> None:
    plan = shapes.explained(statement, tenant, segment)

    assert plan["Actual Rows"] == expected


@pytest.mark.parametrize("statement", [statements.exact(statements.FIRST), statements.similarity_of(statements.FIRST)])
@pytest.mark.parametrize(("tenant", "segment"), [("huge", "narrow"), ("tiny", "narrow")])
def test_who_sees_little_is_not_kept_waiting_by_who_sees_much(
    shapes: Shapes, statement: str, tenant: str, segment: str
) -> None:
    plan = shapes.explained(statement, tenant, segment)

    assert max(_read(node) for node in _nodes(plan) if "vector" in node.get("Relation Name", "")) <= _NARROW


def test_words_are_read_from_the_postings_of_the_tenant_alone(shapes: Shapes) -> None:
    plan = shapes.explained(statements.LEXICAL, "tiny", "narrow")

    assert max(_read(node) for node in _nodes(plan)) < _BROAD / 10


@pytest.mark.parametrize("files", [3, 60])
async def test_words_find_the_same_by_either_way(
    importer: Importer, database: Database, tenant: str, files: int
) -> None:
    broad = [policy(f"d{number}", f"第{number}类商品运费{number}元。" * (1 + number % 7)) for number in range(files)]
    hidden = [
        policy(f"v{number}", "运费全免，运费运费。", audience=["vip"]) for number in range(600 if files > 50 else 2)
    ]
    await importer.publish(tenant, [*broad, *hidden, policy("old", "运费。", effective_to="2020-01-01")])
    weighed = {term_id(term): 1.0 for term in ("运", "费", "运费", "类")}

    async with database.snapshot(tenant) as connection:
        row, held = await opening.find_serving(
            connection, tenant=tenant, version=None, segments=["public"], terms=list(weighed)
        )
        assert row is not None
        view = scoring.View(tenant=tenant, version=row.number, audiences=row.audiences, as_of=_DAY)
        led_by = partial(scoring.broad_lexical_arm, view, limit=50)
        short, whole, led, nothing = await scoring.score_together(
            connection,
            [
                led_by(weighed, leading=frozenset(weighed)),
                scoring.lexical_arm(view, weighed, limit=50),
                led_by(weighed, leading=frozenset({term_id("类"), term_id("运")})),
                led_by({term_id("无"): 1.0}, leading=frozenset({term_id("无")})),
            ],
        )

    assert list(short.items()) == list(whole.items())
    assert led == pytest.approx(dict(whole))
    assert (len(short), nothing) == (min(files, 50), {})
    assert held[term_id("类")] == files


async def test_a_graph_is_walked_only_for_a_customer_who_sees_much(
    importer: Importer,
    searcher: DatabaseSearcher,
    database: Database,
    tenant: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await importer.publish(tenant, [policy("fee", "运费十元。"), policy("vip", "运费全免。", audience=["vip"])])
    async with database.transaction(tenant) as connection:
        await connection.execute(text("UPDATE version SET hot = true"))
        await connection.execute(
            text("""UPDATE version_audience SET passages = 100000 WHERE audience_id IN
                    (SELECT audience_id FROM audience_segment WHERE segment = 'vip')""")
        )
    asked: list[str] = []

    async def heard(connection: AsyncConnection, asks: Iterable[Ask]) -> list[Rows]:
        made = list(asks)
        asked.extend(each.statement for each in made)
        return await ask_together(connection, made)

    monkeypatch.setattr(scoring, "ask_together", heard)

    async def walked(*segments: str) -> bool:
        asked.clear()
        await searcher.search(tenant=tenant, segments=segments, question="运费", as_of=date(2100, 1, 1))
        return any("near AS MATERIALIZED" in each for each in asked)

    assert not await walked()
    assert await walked("vip")


def _fill(owner: Connection, tenant: str, *, documents: int) -> None:
    with owner.transaction():
        owner.execute(_FILL.format(tenant=tenant, documents=documents).encode())


def _neighbour(owner: Connection) -> str:
    """Name the tiny tenant so that it shares the partitions of the huge one."""
    for number in range(200):
        name = f"tiny-{number}"
        row = owner.execute(
            """SELECT bool_or(satisfies_hash_partition('passage'::regclass, 8, n, 'huge'::text)
                              AND satisfies_hash_partition('passage'::regclass, 8, n, %s::text))
               FROM generate_series(0, 7) n""",
            (name,),
        ).fetchone()
        if row == (True,):
            return name
    raise AssertionError("no name shares the partition")


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:  # Postgres's JSON plan
    yield plan
    for child in plan.get("Plans", []):
        yield from _nodes(child)


def _read(node: dict[str, Any]) -> float:  # as above
    """Count the rows a node looked at, those it threw away included."""
    thrown: float = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
    return (node["Actual Rows"] + thrown) * node["Actual Loops"]
