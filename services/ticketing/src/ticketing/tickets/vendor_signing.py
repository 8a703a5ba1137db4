"""Check what Zendesk and Zammad sign in their own ways, and tell one message from another by what was signed.

The ids in their headers are not part of what they sign, so a message counts by the digest of what is: it cannot be sent
again under another id.
Source: Zendesk's documentation of verifying webhooks (timestamp and body, HMAC-SHA256 in base64); Zammad's of webhooks
(`X-Hub-Signature`, HMAC-SHA1 of the body in hexadecimal digits).
"""

import hmac
from base64 import b64encode
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256

from ticketing.tickets.signing import TOLERANCE, SignatureError


def check_zendesk(secrets: Sequence[bytes], *, timestamp: str, signature: str, body: bytes, now: datetime) -> str:
    """Accept a message of Zendesk that one of our secrets signed within five minutes of now, and give its id.

    Errors: SignatureError.
    """
    if not _is_recent(timestamp, now):
        raise SignatureError
    content = timestamp.encode() + body
    wanted = [b64encode(hmac.digest(secret, content, "sha256")).decode() for secret in secrets]
    _compare(wanted, signature)
    return sha256(content).hexdigest()


def check_zammad(secrets: Sequence[bytes], *, signature: str, body: bytes) -> str:
    """Accept a message of Zammad that one of our secrets signed, and give its id. It knows no moment. Errors: SignatureError."""
    _compare([f"sha1={hmac.digest(secret, body, 'sha1').hex()}" for secret in secrets], signature)
    return sha256(body).hexdigest()


def _compare(wanted: Sequence[str], given: str) -> None:
    # Every secret is compared, so that the time taken says nothing.
    matches = [hmac.compare_digest(each.encode(), given.encode()) for each in wanted]
    if not any(matches):
        raise SignatureError


def _is_recent(timestamp: str, now: datetime) -> bool:
    try:
        moment = datetime.fromisoformat(timestamp)
    except ValueError:
        return False
    return abs((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - now) <= TOLERANCE
