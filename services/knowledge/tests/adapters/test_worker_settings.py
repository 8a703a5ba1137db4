"""A worker does not start without its keys; every other process does."""

from pathlib import Path

import pytest

from knowledge.settings import KnowledgeSettings, WorkerSettings
from runtime.settings import SettingsError, load_settings

_GIVEN = {"redis_url": "redis://localhost", "database_url": "postgresql://x"}


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YOUJU_KEYS_DIRECTORY", str(tmp_path))
    monkeypatch.setenv("YOUJU_TENANTS_FILE", str(tmp_path / "tenants.yaml"))
    for name in ("MASK_KEY", "ORIGINALS_KEYS"):
        monkeypatch.delenv(f"YOUJU_KNOWLEDGE_{name}", raising=False)
        monkeypatch.delenv(f"YOUJU_KNOWLEDGE_{name}_FILE", raising=False)
    monkeypatch.setenv("YOUJU_KNOWLEDGE_KEEP_ORIGINALS", "false")


def test_a_worker_without_a_key_says_which_setting_is_missing() -> None:
    with pytest.raises(SettingsError, match=r"^YOUJU_KNOWLEDGE_MASK_KEY is not set\.$"):
        load_settings(WorkerSettings, **_GIVEN)

    assert load_settings(KnowledgeSettings, **_GIVEN).mask_key is None


def test_a_key_that_is_too_short_is_told_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YOUJU_KNOWLEDGE_MASK_KEY", "c0ffee")

    with pytest.raises(SettingsError, match="64 hexadecimal digits") as refused:
        load_settings(WorkerSettings, **_GIVEN)

    assert "c0ffee" not in str(refused.value)


def test_the_key_may_lie_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mask.key").write_text("ab" * 32 + "\n")
    monkeypatch.setenv("YOUJU_KNOWLEDGE_MASK_KEY_FILE", str(tmp_path / "mask.key"))

    assert load_settings(WorkerSettings, **_GIVEN).mask_key_bytes == bytes([0xAB]) * 32


def test_a_worker_that_keeps_originals_needs_their_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YOUJU_KNOWLEDGE_MASK_KEY", "ab" * 32)
    monkeypatch.setenv("YOUJU_KNOWLEDGE_KEEP_ORIGINALS", "true")

    with pytest.raises(SettingsError, match="YOUJU_KNOWLEDGE_ORIGINALS_KEYS is not set"):
        load_settings(WorkerSettings, **_GIVEN)

    assert load_settings(KnowledgeSettings, **_GIVEN).originals_ring is None


def test_keys_of_originals_are_read_line_by_line_and_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YOUJU_KNOWLEDGE_MASK_KEY", "ab" * 32)
    (tmp_path / "originals.key").write_text(f"{'ab' * 32}\n{'cd' * 32}\n")
    monkeypatch.setenv("YOUJU_KNOWLEDGE_ORIGINALS_KEYS_FILE", str(tmp_path / "originals.key"))
    ring = load_settings(WorkerSettings, **_GIVEN).originals_ring
    (tmp_path / "originals.key").write_text("c0ffee")

    with pytest.raises(SettingsError, match="64 hexadecimal digits") as refused:
        load_settings(WorkerSettings, **_GIVEN)

    assert ring is not None
    assert len(ring.older) == 1
    assert "c0ffee" not in str(refused.value)
