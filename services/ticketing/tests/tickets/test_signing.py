from base64 import b64encode
from datetime import UTC, datetime, timedelta

import pytest

from ticketing.tickets.signing import (
    ID_HEADER,
    SIGNATURE_HEADER,
    TIMESTAMP_HEADER,
    TOLERANCE,
    MalformedSecretError,
    SignatureError,
    secret_bytes,
    signed_headers,
    verify,
)

pytestmark = pytest.mark.unit

NOW = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
NEW, OLD, FOREIGN = b"n" * 32, b"o" * 32, b"f" * 32


def _check(headers: dict[str, str], *secrets: bytes, body: bytes = b"{}", now: datetime = NOW) -> None:
    verify(
        secrets,
        message_id=headers[ID_HEADER],
        timestamp=headers[TIMESTAMP_HEADER],
        signature=headers[SIGNATURE_HEADER],
        body=body,
        now=now,
    )


def _headers(*secrets: bytes) -> dict[str, str]:
    return signed_headers(secrets, message_id="msg_1", body=b"{}", now=NOW)


def test_a_signature_is_the_one_the_specification_computes() -> None:
    # Computed apart from this code: HMAC-SHA256 of "msg_1.1772357400.{}" under 32 times the letter n.
    headers = _headers(NEW)

    assert headers[TIMESTAMP_HEADER] == "1772357400"
    assert headers[SIGNATURE_HEADER] == "v1,AP0Gkq/dNZKlr5q/h1y6+Xzam32R0n/e7QFO2hboSEY="


def test_the_message_that_the_specification_signs_as_its_example_is_accepted() -> None:
    headers = {
        ID_HEADER: "msg_p5jXN8AQM9LWM0D4loKWxJek",
        TIMESTAMP_HEADER: "1614265330",
        SIGNATURE_HEADER: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }
    secret = secret_bytes("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")

    _check(headers, secret, body=b'{"test": 2432232314}', now=datetime.fromtimestamp(1614265330, UTC))


@pytest.mark.parametrize("receiver", [(NEW,), (OLD,), (FOREIGN, OLD)])
def test_while_a_secret_is_replaced_both_are_accepted(receiver: tuple[bytes, ...]) -> None:
    _check(_headers(NEW, OLD), *receiver)


@pytest.mark.parametrize("late", [TOLERANCE, -TOLERANCE])
def test_a_message_is_accepted_within_the_tolerance(late: timedelta) -> None:
    _check(_headers(NEW), NEW, now=NOW + late)


@pytest.mark.parametrize("late", [TOLERANCE + timedelta(seconds=1), -TOLERANCE - timedelta(seconds=1)])
def test_an_old_message_and_one_from_the_future_are_refused(late: timedelta) -> None:
    with pytest.raises(SignatureError):
        _check(_headers(NEW), NEW, now=NOW + late)


@pytest.mark.parametrize(
    "change",
    [
        {SIGNATURE_HEADER: ""},
        {SIGNATURE_HEADER: "v1,"},
        {SIGNATURE_HEADER: "v1a,AAAA"},
        {SIGNATURE_HEADER: "v1,ü"},
        {ID_HEADER: "msg_2"},
        {ID_HEADER: ""},
        {ID_HEADER: "m" * 201},
        {TIMESTAMP_HEADER: "1772357401"},
        {TIMESTAMP_HEADER: "-1"},
        {TIMESTAMP_HEADER: "9" * 30},
        {TIMESTAMP_HEADER: "soon"},
    ],
)
def test_anything_else_is_refused(change: dict[str, str]) -> None:
    with pytest.raises(SignatureError):
        _check(_headers(NEW) | change, NEW)


def test_another_body_another_secret_and_no_secret_are_refused() -> None:
    for secrets, body in (((NEW,), b"{ }"), ((FOREIGN,), b"{}"), ((), b"{}")):
        with pytest.raises(SignatureError):
            _check(_headers(NEW), *secrets, body=body)


def test_a_secret_is_read() -> None:
    assert secret_bytes("whsec_" + b64encode(NEW).decode()) == NEW


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_c2hvcnQ=", "whsec_%%%", b64encode(NEW).decode()])
def test_a_secret_that_is_none_is_refused(secret: str) -> None:
    with pytest.raises(MalformedSecretError):
        secret_bytes(secret)
