import os
from pathlib import Path

import pytest

from runtime.settings import SettingsError
from runtime.tenants import TenantDirectory

ONE = "tenants:\n  demo:\n    name: Demo\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tenants.yaml"
    path.write_text(ONE, encoding="utf-8")
    return path


def changed(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    stamp = path.stat().st_mtime_ns + 1_000_000
    os.utime(path, ns=(stamp, stamp))


def test_a_changed_file_is_read_at_the_next_look(file: Path) -> None:
    directory = TenantDirectory(file)

    changed(file, ONE + "  other:\n    name: Other\n")

    assert directory.keys() == ("demo", "other")


def test_a_file_broken_later_keeps_the_last_good_state(file: Path) -> None:
    directory = TenantDirectory(file)

    changed(file, "tenants: [")

    found = directory.find("demo")
    assert found is not None
    assert found.name == "Demo"


def test_a_file_that_is_no_text_keeps_the_last_good_state(file: Path) -> None:
    directory = TenantDirectory(file)

    file.write_bytes(ONE.encode("utf-16"))

    assert directory.keys() == ("demo",)


def test_an_origin_is_listed_when_any_tenant_lists_it(file: Path) -> None:
    changed(file, ONE + "  other:\n    name: Other\n    allowed_origins: [https://shop.example]\n")
    directory = TenantDirectory(file)

    assert directory.lists_origin("https://shop.example")
    assert not directory.lists_origin("https://shop.example.evil")


@pytest.mark.parametrize("text", ["tenants: [", "tenants:\n  demo: {}\n", "tenants:\n  demo: {name: D, colour: red}\n"])
def test_a_file_broken_at_the_start_stops_it(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")

    with pytest.raises(SettingsError, match=r"tenants\.yaml"):
        TenantDirectory(file)
