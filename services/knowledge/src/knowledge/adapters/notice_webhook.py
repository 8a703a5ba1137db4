"""Send a notice to a tenant's webhook, signed so that the receiver can tell who sends and what is a repeat.

Source: Standard Webhooks 1.0, headers `webhook-id`, `webhook-timestamp`, `webhook-signature`.
"""

import asyncio
import base64
import binascii
import hashlib
import hmac
from datetime import datetime
from http import HTTPStatus
from typing import Final

import httpx
from opentelemetry.instrumentation.utils import suppress_http_instrumentation

from contracts.errors import GiveUpError, TryAgainError

_PREFIX: Final = "whsec_"
# A receiver that trickles is as good as none; far below the lease of a delivery.
_SECONDS: Final = 30.0


def sign(*, message: str, at: datetime, body: bytes, secret: str) -> dict[str, str]:
    """Give the headers of a message. Errors: GiveUpError for a secret that is empty or not Base64."""
    seconds = str(int(at.timestamp()))
    try:
        key = base64.b64decode(secret.strip().removeprefix(_PREFIX), validate=True)
    except binascii.Error as malformed:
        raise GiveUpError("The webhook's secret is not Base64.") from malformed
    if not key:
        raise GiveUpError("The webhook's secret is empty, so anybody could sign.")
    digest = hmac.new(key, b".".join((message.encode(), seconds.encode(), body)), hashlib.sha256).digest()
    signature = f"v1,{base64.b64encode(digest).decode()}"
    return {"webhook-id": message, "webhook-timestamp": seconds, "webhook-signature": signature}


async def send(client: httpx.AsyncClient, url: str, *, body: bytes, headers: dict[str, str]) -> None:
    """Send a signed body.

    Errors: GiveUpError when the receiver is gone for good or its address is none, else TryAgainError.
    """
    try:
        # The receiver is a third party: what traces carry along is not for it.
        with suppress_http_instrumentation():
            status = await _status(client, url, body=body, headers={"content-type": "application/json", **headers})
    except httpx.InvalidURL as malformed:
        raise GiveUpError("The webhook's address is no URL.") from malformed
    except (httpx.HTTPError, TimeoutError) as failed:
        raise TryAgainError(f"The webhook did not answer ({type(failed).__name__}).") from failed
    if status == HTTPStatus.GONE:
        raise GiveUpError("The webhook answered 410: nobody wants its messages any more.")
    if not httpx.codes.is_success(status):
        raise TryAgainError(f"The webhook answered with status {status}.")


async def _status(client: httpx.AsyncClient, url: str, *, body: bytes, headers: dict[str, str]) -> int:
    """Post, and look at nothing but the status: what a receiver says besides may have no end."""
    async with asyncio.timeout(_SECONDS), client.stream("POST", url, content=body, headers=headers) as answer:
        return answer.status_code
