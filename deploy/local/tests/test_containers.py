"""Every container is given what it may know, and no more."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from runtime.tokens import read_keys
from youju.containers import prepare
from youju.database_urls import Passwords, ServiceDatabase
from youju.keys import mask_key_file, originals_keys_file

pytestmark = pytest.mark.unit


def _create(service: str, passwords: Passwords) -> ServiceDatabase:
    return ServiceDatabase(
        owner=f"{service}:{passwords.owner}", app=f"{service}:{passwords.app}", sweeper=f"{service}:{passwords.sweeper}"
    )


def _texts(folder: Path) -> dict[str, str]:
    return {str(file.relative_to(folder)): file.read_text() for file in sorted(folder.rglob("*")) if file.is_file()}


def test_a_service_gets_its_own_urls_and_never_the_owner_s(tmp_path: Path) -> None:
    prepare(tmp_path, _create)

    urls = {path: text for path, text in _texts(tmp_path / "bff").items() if path.endswith("_url")}

    assert set(urls) == {"database_url", "sweeper_database_url"}
    assert all(text.startswith("bff:") for text in urls.values())


def test_every_role_of_every_service_has_a_password_of_its_own(tmp_path: Path) -> None:
    prepare(tmp_path, _create)

    passwords = [text.partition(":")[2] for path, text in _texts(tmp_path).items() if path.endswith("_url")]

    assert len(passwords) == len(set(passwords)) == 9
    assert min(map(len, passwords)) >= 48


def test_preparing_twice_keeps_passwords_and_keys(tmp_path: Path) -> None:
    prepare(tmp_path, _create)
    first = _texts(tmp_path)

    prepare(tmp_path, _create)

    assert _texts(tmp_path) == first


def test_a_preparation_killed_half_way_is_made_whole(tmp_path: Path) -> None:
    (tmp_path / "migrations").mkdir()
    (tmp_path / "migrations/passwords.json.new").touch()
    prepare(tmp_path, _create)
    kept = (tmp_path / "operator/keys/staff.private.json").read_text()
    (tmp_path / "operator/keys/staff.public.json").unlink()

    prepare(tmp_path, _create)

    signing = read_keys(tmp_path / "operator/keys/staff.private.json").verifying.keys()
    assert json.loads(kept)["keys"][0]["kid"] in signing
    assert read_keys(tmp_path / "knowledge/keys/staff.public.json").verifying.keys() == signing


def test_only_the_operator_can_sign_as_staff_and_only_bff_for_guests(tmp_path: Path) -> None:
    prepare(tmp_path, _create)

    private = {str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*.private.json")}

    assert {path for path in private if not path.startswith("operator/")} == {
        "bff/keys/guest.private.json",
        "bff/keys/service.private.json",
    }
    assert read_keys(tmp_path / "knowledge/keys/staff.public.json").signing is None


def test_secrets_are_readable_by_their_owner_alone(tmp_path: Path) -> None:
    prepare(tmp_path, _create)

    secret = [file for file in tmp_path.rglob("*") if file.name.endswith(("_url", "private.json", "passwords.json"))]

    assert {file.stat().st_mode & 0o077 for file in secret} == {0}


@pytest.mark.parametrize(("key_file", "shared"), [(mask_key_file, "mask_key"), (originals_keys_file, "originals_keys")])
def test_only_knowledge_gets_the_keys_of_masked_values_and_originals(
    tmp_path: Path, key_file: Callable[[Path], Path], shared: str
) -> None:
    prepare(tmp_path, _create)

    file = key_file(tmp_path / "operator/keys")

    holders = [path for path, text in _texts(tmp_path).items() if text == file.read_text()]
    assert holders == [f"knowledge/{shared}", f"operator/keys/{file.name}"]
    assert (tmp_path / "knowledge" / shared).stat().st_mode & 0o077 == 0
