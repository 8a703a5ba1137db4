"""The trail, the notices and the originals are shown in a terminal as the staff API has them."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from youju.commands import audit, notices, originals
from youju.main import app
from youju.trouble import Trouble

pytestmark = pytest.mark.unit

_AT = "2026-07-15T04:00:00Z"
_PLACE = "/v1/staff/revisions/rev_2/original"


def _act(number: int) -> dict[str, object]:
    detail = {"passages": number, "import": None, "channels": ["email", "webhook"]}
    return {
        "number": number, "at": _AT, "actor": "olga", "roles": ["owner"], "act": "VERSION_STAGED",
        "subject": f"version:{number}", "detail": detail,
    }  # fmt: skip


def _original(number: int, *, deleted: bool) -> dict[str, object]:
    return {
        "revisionId": f"rev_{number}", "slug": "contact", "label": str(number), "path": "政策/../联系.md",
        "sizeBytes": 2_500, "keptAt": f"2026-07-1{number}T04:00:00Z", "deletedAt": _AT if deleted else None,
        "deletedBy": "olga" if deleted else None,
    }  # fmt: skip


_NOTICE: dict[str, object] = {
    "noticeId": "ntc_1", "kind": "OVERDUE", "subject": "documents", "period": "2026-W29", "createdAt": _AT,
    "items": [{"slug": f"rule-{number}", "owner": None} for number in range(7)],
    "deliveries": [
        {"channel": "email", "state": "DELIVERED", "tries": 1, "deliveredAt": _AT, "reason": None},
        {"channel": "webhook", "state": "GIVEN_UP", "tries": 8, "deliveredAt": None, "reason": "It answered 500."},
    ],
}  # fmt: skip


class FakeKnowledge:
    """The staff API of what is to be seen, remembering what was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def answer(self, request: httpx.Request) -> httpx.Response:
        """Serve one request, as a transport would."""
        self.asked.append(f"{request.method} {request.url.raw_path.decode()}")
        match (request.method, request.url.path.removeprefix("/v1/staff/")):
            case ("GET", "audit"):
                at = int(request.url.params.get("cursor", "3"))
                return httpx.Response(200, json={"items": [_act(at)], "nextCursor": str(at - 1) if at > 1 else None})
            case ("GET", "notices"):
                return httpx.Response(200, json={"items": [_NOTICE], "nextCursor": None})
            case ("POST", "notices/ntc_1/resend"):
                return httpx.Response(200, json=_NOTICE)
            case ("GET", "originals"):
                items = [_original(1, deleted=False), _original(2, deleted=False), _original(3, deleted=True)]
                return httpx.Response(200, json={"items": items, "nextCursor": None})
            case ("GET", path) if path.endswith("rev_2/original"):
                return httpx.Response(200, content=b"15800002605")
            case _:
                return httpx.Response(204)


@pytest.fixture
def knowledge(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeKnowledge:
    """Put the fake behind every command, in a folder of its own."""
    fake = FakeKnowledge()

    @contextmanager
    def staff(settings: Mapping[str, str], tenant: str) -> Generator[httpx.Client]:
        del settings, tenant
        with httpx.Client(base_url="http://knowledge", transport=httpx.MockTransport(fake.answer)) as client:
            yield client

    for module in (audit, notices, originals):
        monkeypatch.setattr(module, "staff", staff)
    monkeypatch.setenv("YOUJU_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return fake


def _run(*arguments: str, typed: str = "") -> str:
    run = CliRunner().invoke(app, list(arguments), input=typed)
    if run.exception is not None and not isinstance(run.exception, SystemExit):
        raise run.exception
    return run.output


def test_the_trail_reads_only_as_many_pages_as_are_shown(knowledge: FakeKnowledge) -> None:
    shown = _run("audit", "-n", "2")

    assert len(knowledge.asked) == 2
    assert shown.splitlines()[1].split("  ") == [
        "", "2026-07-15 04:00:00", "olga", "version staged", "version:3", "passages: 3, channels: email, webhook",
    ]  # fmt: skip


def test_conditions_of_the_trail_are_asked_of_the_service(knowledge: FakeKnowledge) -> None:
    _run("audit", "--act", "version_staged", "--actor", "olga", "--since", "2026-07-01", "--until", "2026-07-31")

    asked = httpx.URL(knowledge.asked[0].removeprefix("GET ")).params
    assert dict(asked) == {
        "limit": "100", "act": "VERSION_STAGED", "actor": "olga", "since": "2026-07-01T00:00:00+00:00",
        "until": "2026-08-01T00:00:00+00:00",
    }  # fmt: skip


def test_a_notice_says_where_it_went_and_shows_its_first_rules(knowledge: FakeKnowledge) -> None:
    shown = _run("notices", "--kind", "overdue")

    assert knowledge.asked == ["GET /v1/staff/notices?limit=100&kind=OVERDUE"]
    assert [line.strip() for line in shown.splitlines()] == [
        "2026-07-15 04:00  overdue  documents 2026-W29  ntc_1",
        *(f"slug: rule-{number}" for number in range(5)),
        "… and 2 more",
        "✓ email, 2026-07-15 04:00",
        "✗ webhook, 8 tries: It answered 500.",
    ]


def test_a_notice_is_sent_again_by_its_id(knowledge: FakeKnowledge) -> None:
    assert "ntc_1" in _run("notices", "resend", "ntc_1")
    assert knowledge.asked == ["POST /v1/staff/notices/ntc_1/resend"]


@pytest.mark.usefixtures("knowledge")
def test_the_newest_original_is_written_into_a_file_of_our_own(tmp_path: Path) -> None:
    _run("originals", "fetch", "contact")

    written = tmp_path / "联系.md"
    assert written.read_bytes() == b"15800002605"
    assert written.stat().st_mode & 0o077 == 0
    with pytest.raises(Trouble, match="exists already"):
        _run("originals", "fetch", "contact")


@pytest.mark.usefixtures("knowledge")
def test_an_original_that_was_deleted_is_not_fetched() -> None:
    assert "deleted 2026-07-15 04:00 by olga" in _run("originals", "list", "contact")
    with pytest.raises(Trouble, match=r"No original of contact \(3\) is kept"):
        _run("originals", "fetch", "contact", "3")


def test_an_original_is_deleted_when_somebody_says_so(knowledge: FakeKnowledge) -> None:
    _run("originals", "delete", "contact", "2", typed="n\n")
    kept = list(knowledge.asked)
    _run("originals", "delete", "contact", "2", typed="y\n")

    assert f"DELETE {_PLACE}" not in kept
    assert knowledge.asked[-1] == f"DELETE {_PLACE}"
