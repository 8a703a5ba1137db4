"""A message is handled and acknowledged, put aside with its reason, or left to its repetition."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import delete, select

from contracts.errors import TryAgainError, UnavailableError
from contracts.ids import uuid7
from contracts.messages import Acknowledged, Envelope
from contracts.reading import NO_TENANT, UnreadableMessageError
from libs.runtime.tests.conftest import FAILED, PARKED
from runtime.database import SyncDatabase
from runtime.parking import Body, Parking
from runtime.receiving import (
    Receiver,
    acknowledged_id,
    receive,
    receive_alone,
    receive_together,
    refuse_version,
    unanswered,
)
from tests.support.receiving import receiver_of

pytestmark = pytest.mark.store

Rows = Callable[[], list[dict[str, Any]]]  # columns of several types


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def receiver(sync_app: SyncDatabase, told: list[str]) -> Receiver:
    return receiver_of(sync_app, Parking(parked=PARKED, failed=FAILED), told)


@pytest.fixture
def parked_rows(sync_app: SyncDatabase, tenant: str) -> Rows:
    def look() -> list[dict[str, Any]]:  # as above
        with sync_app.transaction(tenant) as connection:
            return [dict(row) for row in connection.execute(select(PARKED)).mappings()]

    return look


def message(tenant: str, data: dict[str, object] | None = None) -> Body:
    envelope = Envelope(
        id=str(uuid7()),
        source="elsewhere",
        type="youju.demo.v1",
        subject="s",
        time=datetime(2026, 3, 1, tzinfo=UTC),
        tenant=tenant,
        attemptid="att_" + "1" * 32,
        data=data or {},
    )
    return envelope.model_dump(mode="json")


def refuse(_envelope: Envelope) -> None:
    raise UnreadableMessageError("priority: not one of ours")


def break_down(_envelope: Envelope) -> None:
    raise ZeroDivisionError


def test_a_message_is_handled_and_then_acknowledged(receiver: Receiver, told: list[str], tenant: str) -> None:
    told_before: list[list[str]] = []
    body = message(tenant)

    receive(receiver, body, lambda _: told_before.append(list(told)))

    assert (told_before, told) == ([[]], [body["id"]])


def test_nobody_acknowledges_an_acknowledgement(receiver: Receiver, told: list[str], tenant: str) -> None:
    handled: list[str] = []

    receive(unanswered(receiver), message(tenant), lambda envelope: handled.append(envelope.id))

    assert (len(handled), told) == (1, [])


def test_what_cannot_be_read_is_parked_once_with_its_reason_and_acknowledged_each_time(
    receiver: Receiver, told: list[str], parked_rows: Rows, tenant: str
) -> None:
    body = message(tenant)

    for _ in range(2):
        receive(receiver, body, refuse)

    (row,) = parked_rows()
    assert (row["reason"], row["detail"], row["message_id"]) == ("MALFORMED", "priority: not one of ours", body["id"])
    assert told == [body["id"]] * 2


def test_a_message_without_an_envelope_is_parked_where_only_operators_look_and_not_acknowledged(
    receiver: Receiver, told: list[str], sync_app: SyncDatabase
) -> None:
    with sync_app.transaction(NO_TENANT) as connection:
        connection.execute(delete(PARKED))

    receive(receiver, {"id": "m-1", "specversion": "0.3"}, refuse)

    with sync_app.transaction(NO_TENANT) as connection:
        found = connection.execute(select(PARKED.c.message_id, PARKED.c.reason)).all()
    assert ([tuple(row) for row in found], told) == ([("m-1", "MALFORMED")], [])


def test_a_major_version_of_another_day_is_parked_under_its_name(
    receiver: Receiver, told: list[str], parked_rows: Rows, tenant: str
) -> None:
    receive(receiver, message(tenant) | {"type": "youju.demo.v2"}, refuse_version)

    (row,) = parked_rows()
    assert (row["reason"], row["detail"]) == ("UNKNOWN_VERSION", "This release does not know youju.demo.v2.")
    assert len(told) == 1


def test_what_fails_three_times_is_parked_and_acknowledged(
    receiver: Receiver, told: list[str], parked_rows: Rows, tenant: str
) -> None:
    body = message(tenant)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            receive(receiver, body, break_down)
    before = (parked_rows(), list(told))

    receive(receiver, body, break_down)

    (row,) = parked_rows()
    assert (before, row["reason"], told) == (([], []), "POISON", [body["id"]])
    assert "ZeroDivisionError" in row["detail"]


@pytest.mark.parametrize("passing", [UnavailableError(), TryAgainError()])
def test_what_may_pass_is_neither_counted_nor_acknowledged(
    receiver: Receiver, told: list[str], parked_rows: Rows, tenant: str, passing: Exception
) -> None:
    def lose(_envelope: Envelope) -> None:
        raise passing

    body = message(tenant)
    for _ in range(4):
        with pytest.raises(type(passing)):
            receive(receiver, body, lose)

    with receiver.database.transaction(tenant) as connection:
        counted = connection.execute(select(FAILED)).all()
    assert (counted, parked_rows(), told) == ([], [], [])


def test_a_lost_acknowledgement_leaves_the_message_handled(receiver: Receiver, tenant: str) -> None:
    def lose(_envelopes: Sequence[Envelope]) -> None:
        raise TryAgainError

    handled: list[str] = []
    body = message(tenant)

    receive(replace(receiver, acknowledge=lose), body, lambda envelope: handled.append(envelope.id))

    assert handled == [body["id"]]


def test_messages_are_taken_together_tenant_by_tenant(receiver: Receiver, told: list[str], tenant: str) -> None:
    bodies = [message(tenant), message("somebody-else"), message(tenant)]
    taken: list[tuple[str, int]] = []

    receive_together(receiver, bodies, lambda owner, group: taken.append((owner, len(group))), refuse)

    assert taken == [(tenant, 2), ("somebody-else", 1)]
    assert told == [body["id"] for body in bodies]


def test_one_that_spoils_it_for_the_others_shows_itself_when_each_is_taken_alone(
    receiver: Receiver, told: list[str], parked_rows: Rows, tenant: str
) -> None:
    bodies = [message(tenant), message(tenant, {"bad": True}), message(tenant)]
    handled: list[str] = []

    def together(_tenant: str, envelopes: Sequence[Envelope]) -> None:
        for envelope in envelopes:
            if envelope.data:
                refuse(envelope)

    def alone(envelope: Envelope) -> None:
        together(tenant, [envelope])
        handled.append(envelope.id)

    receive_together(receiver, bodies, together, alone)

    assert handled == [bodies[0]["id"], bodies[2]["id"]]
    assert [row["message_id"] for row in parked_rows()] == [bodies[1]["id"]]
    assert told == [body["id"] for body in bodies]


def test_a_database_that_is_away_leaves_all_to_their_repetition(
    receiver: Receiver, told: list[str], tenant: str
) -> None:
    alone: list[str] = []

    def lose(_tenant: str, _envelopes: Sequence[Envelope]) -> None:
        raise UnavailableError

    with pytest.raises(UnavailableError):
        receive_together(receiver, [message(tenant)], lose, lambda envelope: alone.append(envelope.id))

    assert (alone, told) == ([], [])


def test_one_that_fails_alone_keeps_no_other_from_being_handled() -> None:
    handled: list[object] = []

    def receive_one(body: Body) -> None:
        handled.append(body["id"])
        if body["id"] == 2:
            raise ZeroDivisionError

    with pytest.raises(ExceptionGroup) as caught:
        receive_alone(receive_one, [{"id": number} for number in (1, 2, 3)])

    assert handled == [1, 2, 3]
    assert caught.group_contains(ZeroDivisionError)


def test_an_acknowledgement_names_a_message_of_ours_or_cannot_be_read(tenant: str) -> None:
    ours = uuid7()
    said = Acknowledged(message_id=str(ours)).model_dump(mode="json")

    assert acknowledged_id(Envelope.model_validate(message(tenant, said))) == ours
    with pytest.raises(UnreadableMessageError, match="message_id"):
        acknowledged_id(Envelope.model_validate(message(tenant, {**said, "messageId": "7", "message_id": "7"})))
