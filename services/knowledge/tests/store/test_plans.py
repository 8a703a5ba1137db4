"""As the app role, every statement of a search reaches its rows through an index with the tenant in it."""

from collections.abc import Iterator
from datetime import date
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg import Connection
from sqlalchemy import text
from sqlalchemy.dialects import postgresql

from knowledge.retrieval import statements
from tests.support.databases import OpenDatabase
from youju.database_urls import for_psycopg

pytestmark = pytest.mark.store


def _vector(dimension: int) -> str:
    return "[" + ",".join(["0.1"] * dimension) + "]"


_PARAMETERS = {
    "tenant": "big",
    "version": 1,
    "audiences": [1, 2],
    "as_of": date(2026, 7, 15),
    "terms": [1, 2, 3],
    "idfs": [1.0, 2.0, 3.0],
    "other_terms": [4, 5],
    "other_idfs": [0.5, 0.25],
    "limit": 50,
    "most": 500,
    "ids": [uuid4() for _ in range(20)],
    "segments": ["public"],
    "arm": "model",
    "meant": [4],
    "typed": [1],
    "budget": 1_000,
    "scores": [1.0] * 20,
    "passage_vector": _vector(512),
    "passage_vector_384": _vector(384),
    "passage_vector_384_arm": "model",
}
_SECOND = statements.second(384)

# Enough rows that a scan of everything is not the cheaper way: most revisions are history, and another tenant fills the
# same tables.
_FILL = """
    SELECT set_config('youju.tenant', '{tenant}', true);
    INSERT INTO audience (tenant, segments) VALUES ('{tenant}', 'public');
    INSERT INTO audience_segment SELECT '{tenant}', 'public', id FROM audience WHERE tenant = '{tenant}';
    INSERT INTO audience_segment SELECT '{tenant}', 'other' || n, id FROM audience, generate_series(1, 300) n
        WHERE tenant = '{tenant}';
    INSERT INTO tenant_pointer VALUES ('{tenant}', 1, 1);
    INSERT INTO version (tenant, number, state, routing_policy, analyser, embedder, created_by)
        VALUES ('{tenant}', 1, 'PUBLISHED', '', '', '', '');
    INSERT INTO document (tenant, id, slug) SELECT '{tenant}', gen_random_uuid(), 's' || n FROM generate_series(1, 200) n;
    INSERT INTO revision (tenant, id, document, label, title, language, tags, priority, audience_id, requires_facts,
                          decision, public, path, source, content_sha256, fingerprint, effective_to)
        SELECT '{tenant}', gen_random_uuid(), document.id, '1', 't', 'zh', '{{}}', 0, audience.id, '{{}}', 'rule', false,
               'p', 's', slug, slug, CASE WHEN slug NOT LIKE '%7' THEN date '2020-01-01' END
        FROM document, audience WHERE document.tenant = '{tenant}' AND audience.tenant = '{tenant}';
    INSERT INTO withdrawal (tenant, document, content_sha256, withdrawn_by)
        SELECT '{tenant}', id, slug, 'owner' FROM document WHERE tenant = '{tenant}' AND slug LIKE '%3';
    INSERT INTO version_revision SELECT '{tenant}', 1, id FROM revision WHERE tenant = '{tenant}';
    INSERT INTO passage (tenant, id, revision, ordinal, heading_path, text, source_start, source_end, audience_id,
                         in_force_from, in_force_until, language, terms, indexed)
        SELECT '{tenant}', gen_random_uuid(), id, n, '{{}}', 'text', 0, 4, audience_id, in_force_from, in_force_until, 'zh',
               4, true
        FROM revision, generate_series(1, 12) n WHERE tenant = '{tenant}';
    INSERT INTO posting SELECT '{tenant}', (n * 37 + source_start) % 4000, id, 1 FROM passage, generate_series(1, 10) n
        WHERE tenant = '{tenant}' ON CONFLICT DO NOTHING;
    INSERT INTO term_frequency SELECT '{tenant}', 1, n, 5 FROM generate_series(1, 4000) n;
    INSERT INTO passage_vector SELECT '{tenant}', id, array_fill(0.1, ARRAY[512])::halfvec(512) FROM passage
        WHERE tenant = '{tenant}';
    INSERT INTO passage_vector_384 SELECT '{tenant}', 'model', id, array_fill(0.1, ARRAY[384])::halfvec(384) FROM passage
        WHERE tenant = '{tenant}';
    INSERT INTO version_audience SELECT '{tenant}', 1, id, 2400 FROM audience WHERE tenant = '{tenant}';
    INSERT INTO sentence SELECT '{tenant}', id, n, 0, 4, array_fill(0.1, ARRAY[512])::halfvec(512)
        FROM passage, generate_series(1, 2) n WHERE tenant = '{tenant}';
"""


@pytest.fixture(scope="module")
def app(service_database: OpenDatabase) -> Iterator[Connection]:
    """Give a connection as the app role over filled and analysed tables."""
    urls = service_database("knowledge")
    with psycopg.connect(for_psycopg(urls.app)) as connection:
        for tenant in ("big", "bigger"):
            connection.execute(_FILL.format(tenant=tenant).encode())
            connection.commit()
        with psycopg.connect(for_psycopg(urls.owner), autocommit=True) as owner:
            owner.execute("ANALYZE")
        connection.execute("SELECT set_config('youju.tenant', 'big', false)")
        connection.execute("SELECT set_config('plan_cache_mode', 'force_custom_plan', false)")
        yield connection


@pytest.mark.parametrize(
    ("statement", "indexes"),
    [
        (statements.AUDIENCES, {"audience_segment_pkey"}),
        (statements.FREQUENCIES, {"term_frequency_pkey"}),
        (statements.LEXICAL, {"posting_p_pkey"}),
        (statements.LEXICAL_BEST, {"posting_p_pkey"}),
        (statements.exact(statements.FIRST), {"passage_p_tenant_revision_ordinal_key", "passage_vector_p_pkey"}),
        (statements.exact(_SECOND), {"passage_p_tenant_revision_ordinal_key", "passage_vector__p_pkey"}),
        (statements.LEXICAL_OF, {"posting_p_pkey"}),
        (statements.POSTINGS, {"posting_p_pkey", "term_frequency_pkey"}),
        (statements.lexical_ranked(statements.FIRST, _SECOND), {"passage_vector_p_pkey", "passage_vector__p_pkey"}),
        (statements.similarity_of(statements.FIRST), {"passage_vector_p_pkey"}),
        (statements.similarity_of(_SECOND), {"passage_vector__p_pkey"}),
        (statements.SENTENCES, {"sentence_p_pkey"}),
        (statements.PASSAGES, {"passage_p_pkey"}),
        (statements.RECORDS, {"passage_p_pkey"}),
        (statements.WITHDRAWN, {"passage_p_pkey"}),
    ],
)
def test_a_statement_uses_its_index(app: Connection, statement: str, indexes: set[str]) -> None:
    plan = _plan(app, statement)

    assert indexes <= _indexes(plan)


@pytest.mark.parametrize(
    ("vectors", "graph"),
    [(statements.FIRST, "passage_vector_p_embedding_idx"), (_SECOND, "passage_vector__p_embedding_idx")],
)
def test_the_approximate_arm_walks_the_graph_of_hot_vectors(
    app: Connection, vectors: statements.Vectors, graph: str
) -> None:
    app.execute(f"UPDATE {vectors.table} SET hot = true WHERE tenant = 'big'".encode())  # noqa: S608 - a name of the module
    for setting in ("enable_seqscan", "enable_sort", "enable_bitmapscan"):
        app.execute(f"SET LOCAL {setting} = off".encode())

    plan = _plan(app, statements.approximate(vectors))
    beside = _plan(app, statements.approximate(vectors, statements.FIRST))

    assert graph in _indexes(plan)
    assert {graph, "passage_vector_p_pkey"} <= _indexes(beside)
    app.rollback()
    app.execute("SELECT set_config('youju.tenant', 'big', false)")


def test_no_statement_touches_the_partitions_of_other_tenants(app: Connection) -> None:
    for statement in (statements.LEXICAL, statements.exact(statements.FIRST), statements.SENTENCES):
        touched = {node["Relation Name"] for node in _nodes(_plan(app, statement)) if "Relation Name" in node}

        assert (
            len({name for name in touched if name.rpartition("_p")[2].isdigit() and name.startswith("passage_p")}) <= 1
        )
        assert len({name for name in touched if name.startswith("posting_p")}) <= 1


def _plan(app: Connection, statement: str) -> dict[str, Any]:  # Postgres's JSON plan
    compiled = text(statement).compile(dialect=postgresql.psycopg.dialect())
    dimension = _SECOND.dimension if _SECOND.table in statement else statements.FIRST.dimension
    known = _PARAMETERS | {"question": _vector(dimension)}
    named = {name: known[name] for name in compiled.params}
    row = app.execute(f"EXPLAIN (FORMAT JSON) {compiled}".encode(), named).fetchone()
    assert row is not None
    plans: list[dict[str, Any]] = row[0]  # as above
    return plans[0]["Plan"]


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:  # as above
    yield plan
    for child in plan.get("Plans", []):
        yield from _nodes(child)


def _indexes(plan: dict[str, Any]) -> set[str]:  # as above
    """Name the indexes that are used with a condition or an order, without the numbers of partitions."""
    return {
        "".join(each for each in node["Index Name"] if not each.isdigit())
        for node in _nodes(plan)
        if "Index Name" in node and ("Index Cond" in node or "Order By" in node)
    }
