"""Compare the answer log with its seals, batch by batch: the first thing that does not agree ends it."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum

from knowledge.auditing.sealing import (
    ERASABLE,
    FIELDS,
    FORM,
    Batch,
    Place,
    Seal,
    Values,
    commitment,
    head_of,
    link_of,
    split_commitments,
)


class Finding(StrEnum):
    """What is wrong with a log."""

    BATCH_MISSING = "BATCH_MISSING"
    """A batch of the chain is gone."""
    CHAIN_BROKEN = "CHAIN_BROKEN"
    """A batch does not follow the one before it."""
    BATCH_CHANGED = "BATCH_CHANGED"
    """What a batch says of itself was changed, or the last of its rows were taken out."""
    FORM_UNKNOWN = "FORM_UNKNOWN"
    """A batch covers other fields than this program knows."""
    SEAL_CHANGED = "SEAL_CHANGED"
    """The chain breaks at this row: it, or one before it, was changed, moved, put in or taken out."""
    ROW_REMOVED = "ROW_REMOVED"
    """The log does not have the row any more."""
    FIELD_CHANGED = "FIELD_CHANGED"
    """The field is not what was sealed."""
    KEY_REMOVED = "KEY_REMOVED"
    """The text cannot be checked any more, and the log has no erasure of it."""
    TEXT_REMAINS = "TEXT_REMAINS"
    """The log says that the text was erased, and has one."""
    ROW_UNSEALED = "ROW_UNSEALED"
    """The row was put in past the chain: it has no seal and waits for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """The first thing that does not agree."""

    finding: Finding
    batch: int | None = None
    place: Place | None = None
    field: str | None = None


class ChangedError(Exception):
    """The log is not what was sealed."""

    def __init__(self, fault: Fault) -> None:
        """Say what does not agree."""
        super().__init__(fault.finding)
        self.fault = fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A batch with all that the log has of its rows now."""

    batch: Batch
    seals: Sequence[Seal]
    rows: Mapping[Place, Values]
    erased: AbstractSet[tuple[object, int]]
    """Attempt and try of the rows whose texts the log says it erased."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sound:
    """What agreed in a batch."""

    rows: int
    erased: int


def verify_batch(held: Held, *, number: int, previous: bytes) -> Sound:
    """Check a batch that must bear a number and follow a head. Errors: ChangedError with the first fault."""
    batch = held.batch
    if batch.number != number:
        raise ChangedError(Fault(finding=Finding.BATCH_MISSING, batch=number))
    if batch.form != FORM:
        raise ChangedError(Fault(finding=Finding.FORM_UNKNOWN, batch=number))
    if batch.previous != previous:
        raise ChangedError(Fault(finding=Finding.CHAIN_BROKEN, batch=number))
    last = _check_links(held)
    head = head_of(
        batch.tenant,
        batch.number,
        form=batch.form,
        rows=len(held.seals),
        previous=previous,
        last=last,
        sealed_at=batch.sealed_at,
    )
    if head != batch.head or batch.rows != len(held.seals):
        raise ChangedError(Fault(finding=Finding.BATCH_CHANGED, batch=number))
    erased = sum(_check_row(held, seal) for seal in held.seals)
    return Sound(rows=len(held.seals), erased=erased)


def _check_links(held: Held) -> bytes:
    """Follow the links of a batch; give the last one."""
    last = held.batch.previous
    for position, seal in enumerate(held.seals):
        last = link_of(seal.place, seal.commitments, after=last)
        if last != seal.link or position != seal.position:
            raise ChangedError(Fault(finding=Finding.SEAL_CHANGED, batch=held.batch.number, place=seal.place))
    return last


def _check_row(held: Held, seal: Seal) -> bool:
    """Compare a row with its seal; say whether its texts are erased."""
    number, place = held.batch.number, seal.place
    values = held.rows.get(place)
    if values is None:
        raise ChangedError(Fault(finding=Finding.ROW_REMOVED, batch=number, place=place))
    is_erased = (place.attempt, place.number) in held.erased and bool(ERASABLE[place.kind])
    for finding, field in _differences(seal, values, is_erased=is_erased):
        raise ChangedError(Fault(finding=finding, batch=number, place=place, field=field))
    return is_erased


def _differences(seal: Seal, values: Values, *, is_erased: bool) -> Iterator[tuple[Finding, str]]:
    kind = seal.place.kind
    for name, kept in zip(FIELDS[kind], split_commitments(seal.commitments), strict=True):
        key = seal.keys.text if name in ERASABLE[kind] else seal.keys.row
        value = values.get(name)
        if name in ERASABLE[kind] and is_erased and value is not None:
            yield Finding.TEXT_REMAINS, name
        elif key is None and not is_erased:
            yield Finding.KEY_REMOVED, name
        elif key is not None and commitment(name, value, key=key) != kept:
            yield Finding.FIELD_CHANGED, name
