"""A start that cannot work is refused with one sentence that says what to change."""

import socket
from pathlib import Path

import pytest

from youju.environment import base_environment, port_of
from youju.home import Home, make_sockets_folder
from youju.preflight import check_ports, check_room
from youju.trouble import Trouble

pytestmark = pytest.mark.unit


def test_a_port_in_use_is_named_with_the_setting_that_changes_it() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]

        with pytest.raises(Trouble, match=rf"Port {port} is in use .* YOUJU_BFF_PORT"):
            check_ports({"YOUJU_BFF_PORT": str(port)})


@pytest.mark.parametrize("text", ["http", "0", "65536", "-1", ""])
def test_a_port_that_is_none_is_named(text: str) -> None:
    with pytest.raises(Trouble, match="YOUJU_KNOWLEDGE_PORT"):
        port_of("YOUJU_KNOWLEDGE_PORT", {"YOUJU_KNOWLEDGE_PORT": text})


def test_a_full_disk_is_refused_with_what_is_free(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match="disk is full: 7 MB are free"):
        check_room(tmp_path, free_bytes=lambda _: 7 << 20)


def test_a_temporary_folder_with_a_long_name_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = tmp_path / ("long" * 20)
    long.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(long))

    with pytest.raises(Trouble, match="set TMPDIR"):
        make_sockets_folder()

    assert list(long.iterdir()) == []


def test_a_setting_of_the_user_wins_over_ours(tmp_path: Path) -> None:
    made = base_environment(Home(tmp_path), {"YOUJU_BFF_KNOWLEDGE_URL": "http://elsewhere", "YOUJU_BFF_PORT": "9100"})

    assert made["YOUJU_BFF_KNOWLEDGE_URL"] == "http://elsewhere"
    assert made["YOUJU_BFF_PORT"] == "9100"


def test_the_port_of_knowledge_decides_where_bff_looks_for_it(tmp_path: Path) -> None:
    made = base_environment(Home(tmp_path), {"YOUJU_KNOWLEDGE_PORT": "9101"})

    assert made["YOUJU_BFF_KNOWLEDGE_URL"] == "http://127.0.0.1:9101"
