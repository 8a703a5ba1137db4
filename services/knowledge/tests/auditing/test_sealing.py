"""The chain finds every change of a row, a seal or a batch, and says where."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.auditing.sealing import (
    ERASABLE,
    FIELDS,
    NO_HEAD,
    Batch,
    Keys,
    Kind,
    Place,
    Seal,
    Values,
    commitment,
    seal_batch,
    seal_row,
)
from knowledge.auditing.verifying import ChangedError, Fault, Finding, Held, verify_batch

pytestmark = pytest.mark.unit

_AT = datetime(2026, 11, 30, 2, tzinfo=UTC)
_LATER = _AT + timedelta(microseconds=1)
_KINDS: tuple[Kind, ...] = ("opening", "closing", "cause", "opening")
_EVERY_FIELD = [(kind, name) for kind, names in FIELDS.items() for name in names]

_keys = st.builds(Keys, st.binary(min_size=32, max_size=32), st.binary(min_size=32, max_size=32))
_texts = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


def held_of(kinds: tuple[Kind, ...], *, number: int = 1, previous: bytes = NO_HEAD) -> Held:
    """Seal a row of each kind."""
    places = [Place(kind, UUID(int=at), 1) for at, kind in enumerate(kinds)]
    rows: dict[Place, Values] = {
        place: {name: f"{name} {place.attempt}" for name in FIELDS[place.kind]} for place in places
    }
    seals: list[Seal] = []
    for at, place in enumerate(places):
        keys = Keys(bytes([at]) * 32, bytes([at + 100]) * 32)
        after = seals[-1].link if seals else previous
        seals.append(seal_row(place, rows[place], position=at, keys=keys, after=after))
    batch = seal_batch("demo", number, seals, previous=previous, sealed_at=_AT)
    return Held(batch=batch, seals=seals, rows=rows, erased=frozenset())


def fault_of(held: Held, *, number: int = 1, previous: bytes = NO_HEAD) -> Fault:
    """Give what is wrong."""
    with pytest.raises(ChangedError) as changed:
        verify_batch(held, number=number, previous=previous)
    return changed.value.fault


def with_row(held: Held, place: Place, values: Values) -> Held:
    """Put other values into a row."""
    return replace(held, rows={**held.rows, place: values})


def test_what_was_not_touched_is_sound() -> None:
    sound = verify_batch(held_of(_KINDS), number=1, previous=NO_HEAD)

    assert (sound.rows, sound.erased) == (4, 0)


@pytest.mark.parametrize(("kind", "name"), _EVERY_FIELD)
@pytest.mark.parametrize("value", [None, "", "something else"])
def test_a_change_of_any_field_is_found(kind: Kind, name: str, value: str | None) -> None:
    held = held_of((kind, "cause"))
    place = held.seals[0].place

    fault = fault_of(with_row(held, place, {**held.rows[place], name: value}))

    assert fault == Fault(finding=Finding.FIELD_CHANGED, batch=1, place=place, field=name)


@given(st.sampled_from(_EVERY_FIELD), _texts, _texts, _keys)
def test_two_values_never_share_a_commitment(
    field: tuple[Kind, str], one: str | None, other: str | None, keys: Keys
) -> None:
    same = commitment(field[1], one, key=keys.row) == commitment(field[1], other, key=keys.row)

    assert same == (one == other)


def _moved(held: Held) -> Held:
    first, second, *rest = held.seals
    return replace(held, seals=[second, first, *rest])


def _put_in(held: Held) -> Held:
    stranger = replace(held.seals[1], place=Place("cause", UUID(int=99), 1))
    return replace(held, seals=[held.seals[0], stranger, *held.seals[1:]])


_CHANGES: dict[str, tuple[Callable[[Held], Held], Finding]] = {
    "two rows change places": (_moved, Finding.SEAL_CHANGED),
    "a row is put in": (_put_in, Finding.SEAL_CHANGED),
    "the first row is taken out": (lambda held: replace(held, seals=held.seals[1:]), Finding.SEAL_CHANGED),
    "the last row is taken out": (lambda held: replace(held, seals=held.seals[:-1]), Finding.BATCH_CHANGED),
    "all rows are taken out": (lambda held: replace(held, seals=[]), Finding.BATCH_CHANGED),
    "the log loses its rows": (lambda held: replace(held, rows={}), Finding.ROW_REMOVED),
    "rows": (lambda held: replace(held, batch=replace(held.batch, rows=9)), Finding.BATCH_CHANGED),
    "head": (lambda held: replace(held, batch=replace(held.batch, head=bytes(32))), Finding.BATCH_CHANGED),
    "previous": (lambda held: replace(held, batch=replace(held.batch, previous=b"x" * 32)), Finding.CHAIN_BROKEN),
    "form": (lambda held: replace(held, batch=replace(held.batch, form=2)), Finding.FORM_UNKNOWN),
    "number": (lambda held: replace(held, batch=replace(held.batch, number=2)), Finding.BATCH_MISSING),
    "tenant": (lambda held: replace(held, batch=replace(held.batch, tenant="other")), Finding.BATCH_CHANGED),
    "sealed_at": (lambda held: replace(held, batch=replace(held.batch, sealed_at=_LATER)), Finding.BATCH_CHANGED),
}


@pytest.mark.parametrize(("change", "finding"), list(_CHANGES.values()), ids=list(_CHANGES))
def test_a_change_of_the_chain_is_found(change: Callable[[Held], Held], finding: Finding) -> None:
    assert fault_of(change(held_of(_KINDS))).finding is finding


@given(st.sampled_from(["place", "position", "commitments", "link", "row_key", "text_key"]), st.integers(0, 3))
def test_a_change_of_any_column_of_a_seal_is_found(column: str, at: int) -> None:
    held = held_of(_KINDS)
    seal = held.seals[at]
    changed: Mapping[str, Seal] = {
        "place": replace(seal, place=replace(seal.place, number=2)),
        "position": replace(seal, position=seal.position + 1),
        "commitments": replace(seal, commitments=bytes([seal.commitments[0] ^ 1]) + seal.commitments[1:]),
        "link": replace(seal, link=bytes(32)),
        "row_key": replace(seal, keys=Keys(bytes(32) if at else b"x" * 32, seal.keys.text)),
        "text_key": replace(seal, keys=Keys(seal.keys.row, b"x" * 32)),
    }
    if column == "text_key" and not ERASABLE[seal.place.kind]:
        return

    fault = fault_of(replace(held, seals=[*held.seals[:at], changed[column], *held.seals[at + 1 :]]))

    assert fault.finding in (Finding.SEAL_CHANGED, Finding.FIELD_CHANGED)
    assert fault.place is not None
    assert fault.place.attempt == seal.place.attempt


def erase(held: Held, place: Place) -> Held:
    """Erase a row as the log does."""
    kept = {name: value for name, value in held.rows[place].items() if name not in ERASABLE[place.kind]}
    seals = [replace(each, keys=Keys(each.keys.row, None)) if each.place == place else each for each in held.seals]
    erased = frozenset({(place.attempt, place.number)})
    return replace(with_row(held, place, kept), seals=seals, erased=erased)


@pytest.mark.parametrize("kind", ["opening", "closing"])
def test_an_erased_row_is_sound_and_counted(kind: Kind) -> None:
    held = held_of((kind, "cause"))

    sound = verify_batch(erase(held, held.seals[0].place), number=1, previous=NO_HEAD)

    assert (sound.rows, sound.erased) == (2, 1)


def test_what_an_erasure_leaves_is_still_checked() -> None:
    held = held_of(("closing",))
    place = held.seals[0].place
    erased = erase(held, place)

    fault = fault_of(with_row(erased, place, {**erased.rows[place], "outcome": "refused"}))

    assert (fault.finding, fault.field) == (Finding.FIELD_CHANGED, "outcome")


def test_a_text_that_vanished_without_an_erasure_is_found() -> None:
    held = held_of(("opening",))
    erased = erase(held, held.seals[0].place)

    assert fault_of(replace(erased, erased=frozenset())).finding is Finding.KEY_REMOVED


def test_a_text_put_back_after_its_erasure_is_found() -> None:
    held = held_of(("opening",))
    place = held.seals[0].place
    erased = erase(held, place)

    fault = fault_of(with_row(erased, place, {**erased.rows[place], "question_masked": "another question"}))

    assert (fault.finding, fault.field) == (Finding.TEXT_REMAINS, "question_masked")


def test_an_erased_text_cannot_be_guessed_from_its_commitment() -> None:
    held = held_of(("opening",))
    place = held.seals[0].place
    (seal,) = erase(held, place).seals

    kept = dict(zip(FIELDS["opening"], (seal.commitments[at : at + 32] for at in range(0, 999, 32)), strict=False))
    guess = commitment("question_masked", held.rows[place]["question_masked"], key=seal.keys.row)

    assert kept["question_masked"] != guess


def test_a_batch_follows_the_head_before_it() -> None:
    first = held_of(("opening",)).batch
    second = held_of(("closing",), number=2, previous=first.head)

    assert verify_batch(second, number=2, previous=first.head).rows == 1
    assert fault_of(second, number=2, previous=bytes(32)).finding is Finding.CHAIN_BROKEN


def test_a_batch_is_of_one_tenant() -> None:
    batch: Batch = held_of(("opening",)).batch

    assert batch.head != seal_batch("other", 1, held_of(("opening",)).seals, previous=NO_HEAD, sealed_at=_AT).head
