"""What no customer may send does not come in."""

import pytest
from opentelemetry.instrumentation.asgi import OpenTelemetryMiddleware
from starlette.types import Message, Receive, Scope, Send

from bff.api.headers import NoBaggage
from bff.main import create_app
from bff.settings import BffSettings

pytestmark = pytest.mark.store


async def receive() -> Message:
    return {"type": "http.request"}


async def send(message: Message) -> None:
    del message


async def test_a_customer_cannot_name_tenant_and_attempt_of_our_spans() -> None:
    heard: list[Scope] = []

    async def remember(scope: Scope, _receive: Receive, _send: Send) -> None:
        heard.append(scope)

    sent = [(b"baggage", b"youju.tenant=another"), (b"traceparent", b"00-1-2-01")]
    await NoBaggage(remember)({"type": "http", "headers": sent}, receive, send)

    assert [scope["headers"] for scope in heard] == [[(b"traceparent", b"00-1-2-01")]]


def test_baggage_is_dropped_before_a_span_is_opened(settings: BffSettings) -> None:
    outside_in = [str(layer.cls) for layer in create_app(settings).user_middleware]

    assert outside_in.index(str(NoBaggage)) < outside_in.index(str(OpenTelemetryMiddleware))
