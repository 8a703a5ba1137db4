"""A worker does not start without the key of masked values; every other process does."""

from pathlib import Path

import pytest

from knowledge.settings import KnowledgeSettings, WorkerSettings
from runtime.settings import SettingsError, load_settings

_GIVEN = {"redis_url": "redis://localhost", "database_url": "postgresql://x"}


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YOUJU_KEYS_DIRECTORY", str(tmp_path))
    monkeypatch.setenv("YOUJU_TENANTS_FILE", str(tmp_path / "tenants.yaml"))
    for name in ("YOUJU_KNOWLEDGE_MASK_KEY", "YOUJU_KNOWLEDGE_MASK_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)


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
