"""Notices go out signed over HTTP and as mail; what the other side says decides whether to try again."""

import base64
import hashlib
import hmac
import json
import socketserver
import threading
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
from opentelemetry.instrumentation.httpx import HTTPXClientInstrumentor
from opentelemetry.sdk.trace import TracerProvider

from contracts.errors import GiveUpError, TryAgainError
from contracts.tenants import NoticeRoutes, Tenant
from knowledge.adapters.notice_email import MailServer
from knowledge.adapters.notices import NoticeSender
from knowledge.versions.notices import Notice
from runtime.http import trust

pytestmark = pytest.mark.unit

_AT = datetime(2026, 7, 15, 8, 0, tzinfo=UTC)
_KEY = b"made-up key of a test"
_NOTICE = Notice(
    notice_id=UUID(int=7),
    kind="OVERDUE",
    subject="documents",
    period="2026-W29",
    items=({"slug": "退货", "label": "1", "owner": None, "reviewDate": "2026-07-01"},),
    created_at=_AT,
    deliveries=(),
)


@pytest.fixture
def tenant(tmp_path: Path) -> Tenant:
    """Give a tenant with a signed webhook and a mail address."""
    secret = tmp_path / "secret"
    secret.write_text(f"whsec_{base64.b64encode(_KEY).decode()}\n")
    routes = NoticeRoutes(
        webhook_url="https://hooks.example/in", webhook_secret_file=str(secret), email=("owner@shop.example",)
    )
    return Tenant(name="Shop", notices=routes)


def _answering(status: int, seen: list[httpx.Request]) -> NoticeSender:
    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(status)

    return NoticeSender(httpx.AsyncClient(transport=httpx.MockTransport(answer)), None)


async def test_a_webhook_is_signed_as_its_receiver_expects(tenant: Tenant) -> None:
    seen: list[httpx.Request] = []

    await _answering(204, seen).send(_NOTICE, key="shop", tenant=tenant, channel="webhook", at=_AT)

    (request,) = seen
    signed = f"{request.headers['webhook-id']}.{request.headers['webhook-timestamp']}.".encode() + request.content
    digest = base64.b64encode(hmac.new(_KEY, signed, hashlib.sha256).digest()).decode()
    assert request.headers["webhook-signature"] == f"v1,{digest}"
    assert request.headers["webhook-id"] == f"ntc_{UUID(int=7).hex}"
    body: dict[str, Any] = json.loads(request.content)  # JSON of any shape
    assert (body["type"], body["data"]["tenant"], body["data"]["items"][0]["slug"]) == (
        "knowledge.notice",
        "shop",
        "退货",
    )


class _Hook(BaseHTTPRequestHandler):
    """Keeps the names of the headers it is sent."""

    seen: set[str]

    def do_POST(self) -> None:
        """Take a message."""
        self.seen.update(name.lower() for name in self.headers)
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        """Say nothing."""


async def test_a_webhook_learns_nothing_of_our_traces(tenant: Tenant) -> None:
    seen: set[str] = set()
    handler = type("Handler", (_Hook,), {"seen": seen})
    HTTPXClientInstrumentor().instrument(tracer_provider=TracerProvider())
    try:
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            routes = tenant.notices.model_copy(update={"webhook_url": f"http://127.0.0.1:{server.server_port}/in"})
            sender = NoticeSender(httpx.AsyncClient(trust_env=False, verify=trust()), None)
            there = tenant.model_copy(update={"notices": routes})
            await sender.send(_NOTICE, key="shop", tenant=there, channel="webhook", at=_AT)
            server.shutdown()
    finally:
        HTTPXClientInstrumentor().uninstrument()

    assert "webhook-signature" in seen
    assert not seen & {"traceparent", "baggage"}


@pytest.mark.parametrize(("status", "error"), [(500, TryAgainError), (404, TryAgainError), (410, GiveUpError)])
async def test_only_a_receiver_that_is_gone_is_given_up(tenant: Tenant, status: int, error: type[Exception]) -> None:
    with pytest.raises(error, match=str(status)):
        await _answering(status, []).send(_NOTICE, key="shop", tenant=tenant, channel="webhook", at=_AT)


async def test_an_answer_without_an_end_is_not_read(tenant: Tenant) -> None:
    read: list[bytes] = []

    async def endless() -> AsyncIterator[bytes]:
        while len(read) < 1_000:
            read.append(b"x" * 1_000)
            yield read[-1]

    def answer(_request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=endless())

    sender = NoticeSender(httpx.AsyncClient(transport=httpx.MockTransport(answer)), None)

    await sender.send(_NOTICE, key="shop", tenant=tenant, channel="webhook", at=_AT)

    assert read == []


@pytest.mark.parametrize(("url", "secret"), [("https://[::1", "whsec_AAAA"), ("https://hooks.example", "whsec_")])
async def test_an_address_or_a_secret_that_cannot_work_is_given_up(tmp_path: Path, url: str, secret: str) -> None:
    file = tmp_path / "secret"
    file.write_text(secret)
    tenant = Tenant(name="Shop", notices=NoticeRoutes(webhook_url=url, webhook_secret_file=str(file)))

    with pytest.raises(GiveUpError):
        await _answering(204, []).send(_NOTICE, key="shop", tenant=tenant, channel="webhook", at=_AT)


async def test_a_channel_that_was_taken_away_is_given_up(tenant: Tenant) -> None:
    sender = _answering(204, [])

    assert sender.channels(tenant) == ("webhook",)
    with pytest.raises(GiveUpError):
        await sender.send(_NOTICE, key="shop", tenant=tenant, channel="email", at=_AT)


def test_a_webhook_without_a_secret_is_refused() -> None:
    with pytest.raises(ValueError, match="webhook_secret_file"):
        NoticeRoutes(webhook_url="https://hooks.example/in")
    with pytest.raises(ValueError, match="webhook_url"):
        NoticeRoutes(webhook_url="http://hooks.example/in", webhook_secret_file="x")


class _Smtp(socketserver.StreamRequestHandler):
    """Speaks as much SMTP as a mail needs."""

    mails: list[str]

    def handle(self) -> None:
        self.wfile.write(b"220 ready\r\n")
        while line := self.rfile.readline().decode().strip():
            if line.upper() == "DATA":
                self.wfile.write(b"354 go on\r\n")
                self._read_mail()
            elif line.upper() == "QUIT":
                self.wfile.write(b"221 bye\r\n")
                return
            else:
                self.wfile.write(b"250 ok\r\n")

    def _read_mail(self) -> None:
        lines: list[str] = []
        while (line := self.rfile.readline().decode()) != ".\r\n":
            lines.append(line)
        self.mails.append("".join(lines))
        self.wfile.write(b"250 taken\r\n")


@pytest.fixture
def mails() -> Iterator[tuple[list[str], MailServer]]:
    """Give a mail server of this process and what it has taken."""
    taken: list[str] = []
    handler = type("Handler", (_Smtp,), {"mails": taken})
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_address[1]
        assert isinstance(port, int)
        yield taken, MailServer(host="127.0.0.1", port=port, sender="youju@shop.example", starttls=False)
        server.shutdown()


async def test_a_mail_bears_the_id_of_its_notice(tenant: Tenant, mails: tuple[list[str], MailServer]) -> None:
    taken, server = mails
    sender = NoticeSender(httpx.AsyncClient(), server)

    await sender.send(_NOTICE, key="shop", tenant=tenant, channel="email", at=_AT)

    (mail,) = taken
    assert f"Message-ID: <ntc_{UUID(int=7).hex}@shop.example>" in mail
    assert "To: owner@shop.example" in mail
    assert "Subject: [Youju] Shop: overdue documents 2026-W29" in mail


async def test_a_mail_server_that_is_away_is_tried_again(tenant: Tenant) -> None:
    away = MailServer(host="127.0.0.1", port=1, sender="youju@shop.example", starttls=False)

    with pytest.raises(TryAgainError):
        await NoticeSender(httpx.AsyncClient(), away).send(_NOTICE, key="shop", tenant=tenant, channel="email", at=_AT)
