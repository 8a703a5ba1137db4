import socket
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from runtime.settings import SettingsError
from runtime.tenants import TenantDirectory
from services.ticketing.tests.fakes import ScriptedHelpdesk, order
from ticketing.adapters.choosing import Helpdesks, connect_all
from ticketing.adapters.connection import Reply, judge
from ticketing.settings import HelpdeskKind
from ticketing.tickets.helpdesk import (
    HelpdeskError,
    InFlightError,
    NotCreatedError,
    OutcomeUnknownError,
    RefusedError,
)

pytestmark = pytest.mark.unit

NOW = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
SECRET = "whsec_" + "c2VjcmV0" * 8


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (200, None),
        (201, None),
        (204, None),
        (301, OutcomeUnknownError),
        (303, OutcomeUnknownError),
        (400, RefusedError),
        (401, RefusedError),
        (403, RefusedError),
        (404, RefusedError),
        (408, OutcomeUnknownError),
        (409, InFlightError),
        (413, RefusedError),
        (422, RefusedError),
        (425, NotCreatedError),
        (429, NotCreatedError),
        (500, OutcomeUnknownError),
        (502, OutcomeUnknownError),
        (503, OutcomeUnknownError),
        (504, OutcomeUnknownError),
    ],
)
def test_what_a_status_says_about_a_create(status: int, error: type[HelpdeskError] | None) -> None:
    judged = judge(Reply(status=status, retry_after=timedelta(seconds=9), body=None))

    assert (None if judged is None else type(judged)) is error
    if judged is not None and error is not RefusedError:
        assert judged.retry_after == timedelta(seconds=9)


def _set(monkeypatch: pytest.MonkeyPatch, **settings: str) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(f"YOUJU_HELPDESK_ACME_{name.upper()}", value)


@pytest.mark.parametrize(
    ("kind", "settings", "named"),
    [
        ("zendesk", {"url": "https://x.example"}, "YOUJU_HELPDESK_ACME_API_TOKEN is not set"),
        ("zammad", {"url": "http://x.example", "token": "t", "group": "g", "customer_email": "a@b"}, "https"),
        ("request_tracker", {"url": "https://u:p@x.example", "token": "t", "requestor": "a@b"}, "no credentials"),
        ("webhook", {"url": "https://x.example", "secrets": "short"}, "YOUJU_HELPDESK_ACME_SECRETS"),
        ("webhook", {"url": "https://x.example", "secrets": " "}, "at least one secret"),
        ("webhook", {"url": "https://x.example", "secrets": SECRET, "seconds": "51"}, "YOUJU_HELPDESK_ACME_SECONDS"),
    ],
)
def test_settings_that_are_not_usable_are_told_without_their_secrets(
    monkeypatch: pytest.MonkeyPatch, kind: HelpdeskKind, settings: dict[str, str], named: str
) -> None:
    _set(monkeypatch, **settings)

    with pytest.raises(SettingsError, match=named) as unusable:
        connect_all({"acme": kind})

    assert SECRET not in str(unusable.value)


def test_a_secret_may_stand_in_a_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("secrets") / "secret"
    file.write_text(SECRET + "\n")
    _set(monkeypatch, url="https://x.example", secrets_file=str(file))

    assert connect_all({"acme": "webhook"})["acme"].name == "acme"


@pytest.fixture
def tenants(tmp_path: Path) -> TenantDirectory:
    file = tmp_path / "tenants.yaml"
    file.write_text("tenants: {shop: {name: Shop, helpdesk: acme, masked_in_tickets: [phone]}, plain: {name: Plain}}")
    return TenantDirectory(file)


def test_a_ticket_goes_where_its_tenant_says_and_stays_where_it_was_tried(tenants: TenantDirectory) -> None:
    helpdesks = Helpdesks(ScriptedHelpdesk(name="desk"), {"acme": ScriptedHelpdesk(name="acme")}, tenants)

    assert helpdesks.choose("shop", None).name == "acme"
    assert helpdesks.choose("shop", "desk").name == "desk"
    assert helpdesks.choose("plain", None).name == "desk"


@pytest.mark.parametrize(
    ("tenant", "left"),
    [
        ("shop", "卡 4111111111111111，[phone]"),
        ("plain", "卡 [bank-card]，13800138000"),
        ("unknown", "卡 [bank-card]，[phone]"),
    ],
)
def test_what_leaves_is_what_the_tenant_allows(tenants: TenantDirectory, tenant: str, left: str) -> None:
    desk = ScriptedHelpdesk()
    given: list[str] = []
    desk.hear = lambda ticket: given.append(ticket.question)
    wanted = order(tenant, question="卡 4111111111111111，13800138000")

    Helpdesks(desk, {"acme": desk}, tenants).choose(tenant, None).create(wanted)

    assert given == [left]


def test_a_helpdesk_that_nobody_knows_refuses(tenants: TenantDirectory) -> None:
    missing = Helpdesks(ScriptedHelpdesk(), {}, tenants).choose("shop", "gone")

    with pytest.raises(RefusedError):
        missing.find_by_key(tenant="shop", ticket_key="k")
    with pytest.raises(RefusedError):
        missing.read(tenant="shop", external_id="1")
    assert missing.name == "gone"


def test_a_name_whose_look_up_hangs_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    hung = threading.Event()

    def look_up(*_given: object, **_named: object) -> list[tuple[object, ...]]:
        hung.wait(60)
        raise OSError

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    _set(monkeypatch, url="https://x.example", secrets=SECRET, seconds="0.2")
    try:
        with pytest.raises(HelpdeskError):
            connect_all({"acme": "webhook"})["acme"].create(order("shop"))
        assert not hung.is_set()
    finally:
        hung.set()
