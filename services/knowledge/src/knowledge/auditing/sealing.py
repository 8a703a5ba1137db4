"""Seal rows of the answer log: a commitment to each field, a link for each row, a head for each batch.

Each field of a row is committed to by an HMAC under a random key kept beside the row; fields that hold a customer's text
have a key of their own, which goes when the text goes. What is chained are the commitments: they stay, and say nothing
about a text once its key is gone. Source: RFC 2104 for HMAC; hash chains as in Haber and Stornetta, 1991.
"""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal
from uuid import UUID

Kind = Literal["opening", "closing", "cause", "erasure"]

FORM: Final = 1
"""Which fields, in which order, a batch covers. Fields are only ever added, with a new form."""

NO_HEAD: Final = bytes(32)
"""What the first batch of a tenant follows."""

KEY_BYTES: Final = 32
_COMMITMENT_BYTES: Final = 32

# Fields in the order of their commitments. `original` is the ciphertext of the question as it was typed.
FIELDS: Final[Mapping[Kind, tuple[str, ...]]] = {
    "opening": (
        "retry_of", "conversation", "channel", "audience", "language", "as_of", "asked_at", "question_masked", "earlier",
        "facts", "typed_facts", "original", "settings_fingerprint", "trace_id", "opened_at",
    ),
    "closing": (
        "version", "routing_policy", "calibration", "route", "route_rule", "outcome", "reason", "cause", "failure",
        "handoff", "strength", "read_as", "lacking", "candidates", "policy_context", "drafts", "faults", "result",
        "citations", "writer", "model", "prompt_version", "input_tokens", "output_tokens", "cost", "finish_reason",
        "stage_milliseconds", "closed_at",
    ),
    "cause": ("cause", "candidates", "noted_at"),
    "erasure": ("erased_at",),
}  # fmt: skip

# What an erasure takes: everything that holds words of the customer.
ERASABLE: Final[Mapping[Kind, frozenset[str]]] = {
    "opening": frozenset({"question_masked", "earlier", "facts", "typed_facts", "original"}),
    "closing": frozenset({"read_as", "lacking", "drafts", "result"}),
    "cause": frozenset(),
    "erasure": frozenset(),
}


@dataclass(frozen=True, slots=True)
class Place:
    """A row of the log."""

    kind: Kind
    attempt: UUID
    number: int
    """The number of the try."""


@dataclass(frozen=True, slots=True)
class Keys:
    """What a row's commitments are made with. `text` is None once the customer's text is erased."""

    row: bytes
    text: bytes | None


Values = Mapping[str, str | None]
"""The fields of a row, spelled as Postgres spells them in UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seal:
    """A row's place in the chain."""

    place: Place
    position: int
    """Its number in its batch, from 0."""
    commitments: bytes
    link: bytes
    keys: Keys


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """A batch of seals. `head` covers everything up to it."""

    tenant: str
    number: int
    form: int
    rows: int
    previous: bytes
    head: bytes
    sealed_at: datetime


def seal_row(place: Place, values: Values, *, position: int, keys: Keys, after: bytes) -> Seal:
    """Commit to every field of a row, and chain it to the link before."""
    text_key = keys.text or b""
    parts = (
        commitment(name, values.get(name), key=text_key if name in ERASABLE[place.kind] else keys.row)
        for name in FIELDS[place.kind]
    )
    commitments = b"".join(parts)
    link = link_of(place, commitments, after=after)
    return Seal(place=place, position=position, commitments=commitments, link=link, keys=keys)


def seal_batch(tenant: str, number: int, seals: Sequence[Seal], *, previous: bytes, sealed_at: datetime) -> Batch:
    """Close a batch over its seals. Shapes: at least one seal, the first of which is linked to `previous`."""
    rows, last = len(seals), seals[-1].link
    head = head_of(tenant, number, form=FORM, rows=rows, previous=previous, last=last, sealed_at=sealed_at)
    return Batch(tenant=tenant, number=number, form=FORM, rows=rows, previous=previous, head=head, sealed_at=sealed_at)


def commitment(name: str, value: str | None, *, key: bytes) -> bytes:
    """Commit to one field: a name holds no NUL, so no two fields are told apart by their values alone."""
    said = b"" if value is None else b"\1" + value.encode()
    return hmac.digest(key, name.encode() + b"\0" + said, "sha256")


def split_commitments(commitments: bytes) -> tuple[bytes, ...]:
    """Give the commitments one by one, in the order of the fields."""
    starts = range(0, len(commitments), _COMMITMENT_BYTES)
    return tuple(commitments[at : at + _COMMITMENT_BYTES] for at in starts)


def link_of(place: Place, commitments: bytes, *, after: bytes) -> bytes:
    """Chain a row to the link before it."""
    return _hash(b"row", after, place.kind.encode(), place.attempt.bytes, _number(place.number), commitments)


def head_of(  # noqa: PLR0913 - everything a batch says of itself
    tenant: str, number: int, *, form: int, rows: int, previous: bytes, last: bytes, sealed_at: datetime
) -> bytes:
    """Give the head of a batch."""
    at = sealed_at.astimezone(UTC).isoformat(timespec="microseconds").encode()
    return _hash(b"batch", tenant.encode(), _number(number), _number(form), _number(rows), at, previous, last)


def _hash(*parts: bytes) -> bytes:
    """Hash parts so that no other division into parts gives the same."""
    hashed = hashlib.sha256()
    for part in parts:
        hashed.update(_number(len(part)))
        hashed.update(part)
    return hashed.digest()


def _number(number: int) -> bytes:
    return number.to_bytes(8, "big")
