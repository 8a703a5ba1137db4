"""`youju doctor` says when a version was built with what does not run here."""

from pathlib import Path

import psycopg
import pytest

from knowledge.adapters.embedder import UseEmbedder
from knowledge.ingestion.analyser import ANALYSER
from tests.support.databases import OpenDatabase
from youju.checks.arms import check_arms
from youju.database_urls import for_psycopg

pytestmark = pytest.mark.store

_FILL = """
    SELECT set_config('youju.tenant', '{tenant}', true);
    INSERT INTO tenant_pointer VALUES ('{tenant}', 3, 3);
    INSERT INTO version (tenant, number, state, routing_policy, analyser, embedder, second_embedder, created_by)
        VALUES ('{tenant}', 3, 'PUBLISHED', '', '{analyser}', '{embedder}', {second}, '');
"""


def test_a_version_that_was_built_otherwise_is_named(
    service_database: OpenDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = service_database("knowledge").app
    tenants = tmp_path / "tenants.yaml"
    tenants.write_text("tenants: {well: {name: A}, foreign: {name: B}, empty: {name: C}}")
    made = {
        "YOUJU_REDIS_URL": "redis://h", "YOUJU_KEYS_DIRECTORY": "k", "YOUJU_TENANTS_FILE": str(tenants),
        "YOUJU_KNOWLEDGE_DATABASE_URL": app, "YOUJU_KNOWLEDGE_SECOND_ARM": "off",
    }  # fmt: skip
    for name, value in made.items():
        monkeypatch.setenv(name, value)
    with psycopg.connect(for_psycopg(app)) as connection:
        for tenant, analyser, second in (("well", ANALYSER, "NULL"), ("foreign", "older", "'e5-before'")):
            filled = _FILL.format(tenant=tenant, analyser=analyser, embedder=UseEmbedder.identity, second=second)
            connection.execute(filled.encode())
            connection.commit()

    found = {each.subject: each for each in check_arms(made)}

    assert found["second arm"].is_well
    assert found["arms of foreign"].text == (
        "version 3 was built with older, e5-before, which does not run here and is left out"
    )
    assert sorted(found) == ["arms of foreign", "second arm"]


def test_settings_that_cannot_be_used_are_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("YOUJU_REDIS_URL", "YOUJU_KEYS_DIRECTORY", "YOUJU_KNOWLEDGE_DATABASE_URL"):
        monkeypatch.setenv(name, "x://y")
    monkeypatch.setenv("YOUJU_TENANTS_FILE", str(tmp_path / "nowhere.yaml"))

    (finding,) = check_arms({"YOUJU_TENANTS_FILE": str(tmp_path / "nowhere.yaml")})

    assert not finding.is_well
