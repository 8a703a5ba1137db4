"""`youju doctor` says when a key of originals is lost, and when an older one may go."""

from pathlib import Path
from uuid import UUID

import psycopg
import pytest

from runtime.sealing import KeyRing
from tests.support.databases import OpenDatabase
from youju.checks.original_keys import check_original_keys
from youju.database_urls import for_psycopg

pytestmark = pytest.mark.store

_KEYS = ("aa" * 32, "bb" * 32, "cc" * 32)
_NAMES = tuple(KeyRing.parse(key).newest for key in _KEYS)
_ATTEMPT = UUID(int=1)
_OPENING = """
    INSERT INTO answer_opening (tenant, attempt, try, conversation, channel, audience, language, as_of, asked_at,
        question_masked, earlier, facts, typed_facts, settings_fingerprint, trace_id)
    VALUES ('shop', %s, 1, 'cnv_1', 'web', '{public}', 'zh', '2026-07-15', '2026-07-15', '', '[]', '{}', '{}', '', '')
    ON CONFLICT DO NOTHING
"""
_ORIGINAL = "INSERT INTO answer_original VALUES ('shop', %s, 1, %s, '', '') ON CONFLICT DO NOTHING"


@pytest.fixture
def settings(service_database: OpenDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Give settings whose tenant has one question, under the second key."""
    tenants = tmp_path / "tenants.yaml"
    tenants.write_text("tenants: {empty: {name: A}, shop: {name: B}}")
    made = {
        "YOUJU_REDIS_URL": "redis://h", "YOUJU_KEYS_DIRECTORY": "k", "YOUJU_TENANTS_FILE": str(tenants),
        "YOUJU_KNOWLEDGE_DATABASE_URL": service_database("knowledge").app,
    }  # fmt: skip
    for name, value in made.items():
        monkeypatch.setenv(name, value)
    with psycopg.connect(for_psycopg(made["YOUJU_KNOWLEDGE_DATABASE_URL"])) as connection:
        connection.execute("SELECT set_config('youju.tenant', 'shop', true)")
        connection.execute(_OPENING, (_ATTEMPT,))
        connection.execute(_ORIGINAL, (_ATTEMPT, _NAMES[1]))
    return made


@pytest.mark.parametrize(
    ("ring", "text"),
    [
        ((1,), f"{_NAMES[1]} opens all that is kept"),
        ((0, 1), f"{_NAMES[0]} is taking the place of {_NAMES[1]}, which is still needed"),
        ((1, 0), f"{_NAMES[1]} opens all that is kept: {_NAMES[0]} may go"),
    ],
)
def test_keys_that_open_everything_are_well(
    settings: dict[str, str], monkeypatch: pytest.MonkeyPatch, ring: tuple[int, ...], text: str
) -> None:
    monkeypatch.setenv("YOUJU_KNOWLEDGE_ORIGINALS_KEYS", "\n".join(_KEYS[each] for each in ring))

    (finding,) = check_original_keys(settings)

    assert (finding.text, finding.is_well) == (text, True)


@pytest.mark.parametrize("keys", ["", _KEYS[2]])
def test_a_key_that_is_lost_is_named(settings: dict[str, str], monkeypatch: pytest.MonkeyPatch, keys: str) -> None:
    if keys:
        monkeypatch.setenv("YOUJU_KNOWLEDGE_ORIGINALS_KEYS", keys)

    (finding,) = check_original_keys(settings)

    assert finding.text == f"what shop keeps under {_NAMES[1]} cannot be opened: that key is not here"
    assert "put the lost key back" in finding.remedy


def test_a_database_that_is_away_is_another_line_s_affair(
    settings: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("YOUJU_KNOWLEDGE_DATABASE_URL", "postgresql+psycopg://nobody@127.0.0.1:1/nothing")

    assert list(check_original_keys(settings)) == []
