"""A log is checked to its last piece, held against a saved head, and what differs is said."""

import json
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from contracts.service_token import StaffRole
from youju.commands import sealed_log
from youju.main import app
from youju.sealed_log import Difference, Head, is_short, read_heads, told, verify_log
from youju.trouble import Trouble

pytestmark = pytest.mark.unit

_ONE, _TWO = "1" * 64, "2" * 64
_NOTHING: dict[str, Any] = {
    "follows": None, "batches": 0, "rows": 0, "erased": 0, "head": None, "waiting": 0, "fault": None, "nextCursor": None
}  # fmt: skip
_PIECES: dict[str, dict[str, Any]] = {
    "batch-0": {
        "follows": "0" * 64, "batches": 8, "rows": 900, "erased": 2, "head": {"number": 8, "head": _ONE},
        "heads": [{"number": 7, "head": _TWO}, {"number": 8, "head": _ONE}], "nextCursor": "batch-8",
    },
    "batch-8": {
        "follows": _ONE, "batches": 1, "rows": 3, "head": {"number": 9, "head": _TWO}, "waiting": 4,
        "heads": [{"number": 9, "head": _TWO}], "nextCursor": "opening-",
    },
    "opening-": {},
}  # fmt: skip


def client_of(pieces: dict[str, dict[str, Any]]) -> httpx.Client:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json={**_NOTHING, **pieces[request.url.params["cursor"]]})

    return httpx.Client(transport=httpx.MockTransport(answer), base_url="http://knowledge")


def test_every_piece_is_checked() -> None:
    shown: list[int] = []

    verified = verify_log(client_of(_PIECES), shown.append)

    assert (verified.batches, verified.rows, verified.erased, verified.waiting) == (9, 903, 2, 4)
    assert (str(verified.head), verified.fault, shown) == (f"9:{_TWO}", None, [900, 903, 903])


def test_a_piece_that_does_not_follow_the_one_before_is_a_fault() -> None:
    pieces = {**_PIECES, "batch-8": {**_PIECES["batch-8"], "follows": _TWO}}

    fault = verify_log(client_of(pieces)).fault

    assert fault is not None
    assert (fault.finding, fault.batch) == ("CHAIN_BROKEN", 9)


def test_the_first_fault_ends_the_check() -> None:
    fault = {"finding": "FIELD_CHANGED", "batch": 9, "row": "closing", "attemptId": "att_1", "field": "outcome"}
    pieces = {**_PIECES, "batch-8": {**_PIECES["batch-8"], "fault": fault}}

    found = verify_log(client_of(pieces)).fault

    assert found is not None
    assert (found.row, found.field) == ("closing", "outcome")


@pytest.mark.parametrize(
    ("saved", "lost"),
    [
        pytest.param(["9:" + _TWO], None, id="the newest"),
        pytest.param(["7:" + _TWO, "8:" + _ONE, "9:" + _TWO], None, id="every one"),
        pytest.param(["9:" + _ONE], "9:" + _ONE, id="another one of the newest batch"),
        pytest.param(["10:" + _ONE], "10:" + _ONE, id="past the end"),
        pytest.param(["8:" + _TWO, "8:" + _ONE, "9:" + _TWO], "8:" + _TWO, id="cut, and gone on since"),
        pytest.param(["11:" + _TWO, "10:" + _ONE], "10:" + _ONE, id="the oldest of two is told"),
    ],
)
def test_every_saved_head_is_part_of_the_chain(saved: list[str], lost: str | None) -> None:
    heads = [head for each in saved for head in read_heads(each, tenant="demo")]

    found = verify_log(client_of(_PIECES), saved=heads).lost

    assert (None if found is None else str(found)) == lost


def test_heads_are_read_as_they_are_spelled(tmp_path: Path) -> None:
    file = tmp_path / "heads.jsonl"
    lines = [
        {"tenant": "demo", "batch": 1, "head": _ONE, "sealedAt": "2026-11-30T00:00:00+00:00"},
        {"tenant": "demo", "batch": 2, "head": _TWO, "sealedAt": "2026-11-30T00:00:00+00:00"},
        {"tenant": "other", "batch": 7, "head": _ONE, "sealedAt": "2026-11-30T00:00:00+00:00"},
    ]
    file.write_text("\n".join(json.dumps(line) for line in lines))

    assert read_heads(f"2:{_TWO}", tenant="demo") == (Head(number=2, head=_TWO),)
    assert read_heads(str(file), tenant="demo") == (Head(number=1, head=_ONE), Head(number=2, head=_TWO))


@pytest.mark.parametrize("content", [None, '{"tenant": "other", "batch": 1, "head": "0"}', '{"tenant": "demo"}', "?"])
def test_what_is_no_head_is_trouble(content: str | None, tmp_path: Path) -> None:
    file = tmp_path / "heads.jsonl"
    if content is not None:
        file.write_text(content)

    with pytest.raises(Trouble):
        read_heads(str(file), tenant="demo")


def test_what_is_too_long_for_a_table_is_told_side_below_side() -> None:
    short = Difference(field="handoff", logged="none", now="offered")
    answer = Difference(field="answer", logged="Our policy says:\nNine days.", now="")

    assert (is_short(short), is_short(answer)) == (True, False)
    assert not is_short(Difference(field="citations", logged="", now="x" * 41))
    assert told(answer) == ["answer", "  logged  Our policy says:", "          Nine days.", "  now     —"]


_CHANGED: dict[str, Any] = {
    "finding": "FIELD_CHANGED",
    "batch": 9,
    "row": "closing",
    "attemptId": "att_1",
    "field": "outcome",
}
_REPLAYED: dict[str, Any] = {
    "attemptId": "att_1", "version": 3, "asOf": "2026-07-15", "askedAt": "2026-07-15T04:00:00Z", "question": "能退吗？", "erasedAt": None, "settingsDiffer": False,
    "withdrawn": [], "drafts": [], "agrees": True, "differences": [],
}  # fmt: skip
_DIFFERS: dict[str, Any] = {
    **_REPLAYED, "agrees": False, "differences": [{"field": "outcome", "logged": "answered", "now": "refused"}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "answered", "status"),
    [
        pytest.param(["verify"], {**_NOTHING, "rows": 3}, 0, id="whole"),
        pytest.param(["verify"], {**_NOTHING, "fault": _CHANGED}, 3, id="changed"),
        pytest.param(["verify", "--head", f"9:{_ONE}"], _NOTHING, 4, id="cut"),
        # What stands in the log counts before what a saved head says.
        pytest.param(["verify", "--head", f"9:{_ONE}"], {**_NOTHING, "fault": _CHANGED}, 3, id="changed and cut"),
        pytest.param(["replay", "att_1"], _REPLAYED, 0, id="as it was"),
        pytest.param(["replay", "att_1"], _DIFFERS, 3, id="differs"),
    ],
)
def test_scripts_tell_by_the_status_what_was_found(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], answered: dict[str, Any], status: int
) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json=answered))

    def staff(settings: Mapping[str, str], tenant: str, *, roles: Sequence[StaffRole]) -> nullcontext[httpx.Client]:
        del settings, tenant, roles
        return nullcontext(httpx.Client(transport=transport, base_url="http://knowledge"))

    monkeypatch.setattr(sealed_log, "staff", staff)

    assert CliRunner().invoke(app, ["audit", *arguments]).exit_code == status
