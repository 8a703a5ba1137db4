"""Sign and check messages the way Standard Webhooks does.

Source: the Standard Webhooks specification (headers, `whsec_` secrets, several signatures while secrets rotate).
"""

import hmac
from base64 import b64decode, b64encode
from binascii import Error as MalformedBase64
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Final

from contracts.errors import UnauthenticatedError

ID_HEADER: Final = "webhook-id"
TIMESTAMP_HEADER: Final = "webhook-timestamp"
SIGNATURE_HEADER: Final = "webhook-signature"
TOLERANCE: Final = timedelta(minutes=5)
_PREFIX: Final = "whsec_"
# The specification asks for 24 to 64 bytes.
_SHORTEST_SECRET: Final = 24
_LONGEST_ID: Final = 200


class MalformedSecretError(ValueError):
    """A secret is `whsec_` and at least 24 bytes in base64."""


class SignatureError(UnauthenticatedError):
    """The message is not signed by somebody we know, or too long ago."""


def secret_bytes(secret: str) -> bytes:
    """Read a secret. Errors: MalformedSecretError."""
    try:
        key = b64decode(secret.removeprefix(_PREFIX), validate=True)
    except (MalformedBase64, ValueError) as malformed:
        raise MalformedSecretError from malformed
    if not secret.startswith(_PREFIX) or len(key) < _SHORTEST_SECRET:
        raise MalformedSecretError
    return key


def signed_headers(secrets: Sequence[bytes], *, message_id: str, body: bytes, now: datetime) -> dict[str, str]:
    """Give the headers of a signed message: one signature for every secret that is still in use."""
    timestamp = str(int(now.timestamp()))
    signatures = (_signature(secret, message_id=message_id, timestamp=timestamp, body=body) for secret in secrets)
    return {
        ID_HEADER: message_id,
        TIMESTAMP_HEADER: timestamp,
        SIGNATURE_HEADER: " ".join(f"v1,{signature}" for signature in signatures),
    }


def verify(  # noqa: PLR0913 - three headers, a body, the keys and the clock are what a signature is made of
    secrets: Sequence[bytes],
    *,
    message_id: str,
    timestamp: str,
    signature: str,
    body: bytes,
    now: datetime,
) -> None:
    """Accept a message that one of our secrets signed within five minutes of now. Errors: SignatureError."""
    if not message_id or len(message_id) > _LONGEST_ID or not _is_recent(timestamp, now):
        raise SignatureError
    wanted = [_signature(secret, message_id=message_id, timestamp=timestamp, body=body) for secret in secrets]
    given = [each.removeprefix("v1,") for each in signature.split(" ") if each.startswith("v1,")]
    # Every pair is compared, so that the time taken says nothing.
    matches = [hmac.compare_digest(ours.encode(), theirs.encode()) for ours in wanted for theirs in given]
    if not any(matches):
        raise SignatureError


def _is_recent(timestamp: str, now: datetime) -> bool:
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 11):  # noqa: PLR2004 - seconds until 5138
        return False
    return abs(datetime.fromtimestamp(int(timestamp), UTC) - now) <= TOLERANCE


def _signature(secret: bytes, *, message_id: str, timestamp: str, body: bytes) -> str:
    content = f"{message_id}.{timestamp}.".encode() + body
    return b64encode(hmac.new(secret, content, sha256).digest()).decode()
