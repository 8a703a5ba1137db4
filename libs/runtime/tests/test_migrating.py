from pathlib import Path

import pytest

from runtime.migrating import migrate_as_owner, newest_revision, owner_url

pytestmark = pytest.mark.unit


def test_the_owner_is_read_from_a_secret_file(tmp_path: Path) -> None:
    file = tmp_path / "url"
    file.write_text("postgresql://from-a-file\n")

    assert owner_url("shelf", {"YOUJU_SHELF_OWNER_DATABASE_URL_FILE": str(file)}) == "postgresql://from-a-file"


def test_a_plain_setting_wins_over_the_file(tmp_path: Path) -> None:
    given = {
        "YOUJU_SHELF_OWNER_DATABASE_URL": "postgresql://plain",
        "YOUJU_SHELF_OWNER_DATABASE_URL_FILE": str(tmp_path / "not-there"),
    }

    assert owner_url("shelf", given) == "postgresql://plain"


def test_without_an_owner_nothing_is_migrated_and_one_sentence_says_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.delenv("YOUJU_SHELF_OWNER_DATABASE_URL", raising=False)

    status = migrate_as_owner("shelf", folder=tmp_path)

    assert (status, capsys.readouterr().err) == (2, "YOUJU_SHELF_OWNER_DATABASE_URL is not set.\n")


def test_a_checkout_may_lie_in_a_folder_of_any_name(tmp_path: Path) -> None:
    folder = tmp_path / "100% mine"
    (folder / "versions").mkdir(parents=True)
    (folder / "versions" / "0001_first.py").write_text("revision = '0001'\ndown_revision = None\n")

    assert newest_revision(folder) == "0001"
