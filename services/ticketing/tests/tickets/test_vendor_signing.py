"""Signatures that were computed apart from our code, by `openssl dgst -hmac`, over the bytes that the vendors say they sign.

Zendesk: the timestamp and the raw body, one after the other, HMAC-SHA256 in base64. Zammad: the raw body, HMAC-SHA1 in
hexadecimal digits after `sha1=`.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from ticketing.tickets.signing import SignatureError
from ticketing.tickets.vendor_signing import check_zammad, check_zendesk

pytestmark = pytest.mark.unit

# The secret with which Zendesk signs while a webhook is only tried out; it is used as it stands, not decoded.
ZENDESK_SECRET = b"dGhpc19zZWNyZXRfaXNfZm9yX3Rlc3Rpbmdfb25seQ=="
ZENDESK_MOMENT = "2026-03-01T09:30:00Z"
ZENDESK_BODY = b'{"type":"zen:event-type:ticket.status_changed","detail":{"id":"35436"}}'
ZENDESK_SIGNATURE = "Zm+e7yowI+RQcoFR/mMJ6vM5l9tBW785tVWppweiCTs="
ZENDESK_SIGNATURE_OF_NOTHING = "v6CRwkvIj8q0eRqyaipVbtPT7m0mnMxuPS95EbmpuRU="
ZAMMAD_SECRET = b"zammad-signature-token"
ZAMMAD_BODY = b'{"ticket":{"id":81,"number":"10081","state":"closed"}}'
ZAMMAD_SIGNATURE = "sha1=93cfb884f70d37bb090dd092580cb4ec3ef592e3"
NOW = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


def _zendesk(
    body: bytes = ZENDESK_BODY,
    *,
    signature: str = ZENDESK_SIGNATURE,
    timestamp: str = ZENDESK_MOMENT,
    secrets: Sequence[bytes] = (ZENDESK_SECRET,),
    now: datetime = NOW,
) -> str:
    return check_zendesk(secrets, timestamp=timestamp, signature=signature, body=body, now=now)


def _zammad(
    body: bytes = ZAMMAD_BODY, *, signature: str = ZAMMAD_SIGNATURE, secrets: Sequence[bytes] = (ZAMMAD_SECRET,)
) -> str:
    return check_zammad(secrets, signature=signature, body=body)


def test_what_zendesk_signs_is_accepted_also_without_a_body() -> None:
    assert _zendesk() != _zendesk(b"", signature=ZENDESK_SIGNATURE_OF_NOTHING)


def test_what_zammad_signs_is_accepted() -> None:
    assert _zammad() == _zammad(secrets=(b"its-successor", ZAMMAD_SECRET))


# RFC 2202, the second test case of HMAC-SHA1.
def test_zammads_signature_is_the_hmac_of_the_standard() -> None:
    digest = "sha1=effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"

    assert _zammad(b"what do ya want for nothing?", signature=digest, secrets=(b"Jefe",))


@pytest.mark.parametrize(
    "changes",
    [
        {"body": ZENDESK_BODY + b" "},
        {"body": b""},
        {"signature": ZENDESK_SIGNATURE.lower()},
        {"signature": ""},
        {"signature": "sha256=" + ZENDESK_SIGNATURE},
        {"timestamp": "2026-03-01T09:30:01Z"},
        {"timestamp": "2026-03-01T09:30:00+00:00"},
        {"timestamp": "1772357400"},
        {"timestamp": ""},
        {"secrets": (b"this_secret_is_for_testing_only",)},
        {"secrets": ()},
        {"now": NOW + timedelta(minutes=5, seconds=1)},
        {"now": NOW - timedelta(minutes=5, seconds=1)},
    ],
)
def test_anything_else_than_zendesk_signed_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(SignatureError):
        _zendesk(**changes)  # pyright: ignore[reportArgumentType]  # each case names arguments of their own types


@pytest.mark.parametrize(
    "changes",
    [
        {"body": ZAMMAD_BODY + b"\n"},
        {"signature": ZAMMAD_SIGNATURE.removeprefix("sha1=")},
        {"signature": ZAMMAD_SIGNATURE.upper()},
        {"signature": ZAMMAD_SIGNATURE.replace("sha1", "sha256")},
        {"secrets": (b"zammad-signature-token ",)},
        {"secrets": ()},
    ],
)
def test_anything_else_than_zammad_signed_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(SignatureError):
        _zammad(**changes)  # pyright: ignore[reportArgumentType]  # as above
