"""What was put aside is listed, released once, and forgotten after its time."""

import json

import pytest
from sqlalchemy import Connection, MetaData, select, text, update

from contracts.ids import uuid7
from contracts.reading import LONGEST_KEY, NO_TENANT
from libs.runtime.tests.conftest import FAILED, PARKED
from runtime.database import SyncDatabase
from runtime.parking import ParkedMessage, Parking, failed_delivery_table, parked, parked_message_table

PARKING = Parking(parked=PARKED, failed=FAILED)


def said(tenant: str, message_id: str, **more: object) -> ParkedMessage:
    body = {"tenant": tenant, "id": message_id, "type": "youju.demo.v1", **more}
    return parked(body, reason="POISON", detail="why")


def park(connection: Connection, tenant: str, message_id: str) -> bool:
    return PARKING.park(connection, said(tenant, message_id), parked_id=uuid7())


@pytest.mark.parametrize("body", [{}, {"id": 7, "tenant": "a\x00b"}, {"specversion": "2.0"}])
def test_a_message_that_does_not_say_whose_it_is_is_nobodys(body: dict[str, object]) -> None:
    message = parked(body, reason="MALFORMED", detail="why")

    assert (message.tenant, message.message_id, message.attempt_id) == (NO_TENANT, "unknown", None)


def test_names_are_cut_to_what_an_index_holds() -> None:
    longer = "x" * (LONGEST_KEY + 1)

    message = said(longer, longer, attemptid=longer, source=longer)

    assert {len(each or "") for each in (message.tenant, message.message_id, message.attempt_id, message.source)} == {
        LONGEST_KEY
    }


def test_a_service_keeps_what_its_columns_hold() -> None:
    table = parked_message_table(MetaData())

    assert not {"source", "body", "replayed_at"} & set(table.c.keys())
    assert set(failed_delivery_table(MetaData()).primary_key.columns.keys()) == {"tenant", "message_id"}


@pytest.mark.store
def test_the_newest_are_listed_first_and_page_by_page(sync_app: SyncDatabase, tenant: str) -> None:
    with sync_app.transaction(tenant) as connection:
        for message_id in ("m-1", "m-2", "m-3"):
            park(connection, tenant, message_id)

        first = PARKING.newest(connection, below=None, limit=2)
        rest = PARKING.newest(connection, below=first[-1].parked_id, limit=2)

    assert [each.message_id for each in first + rest] == ["m-3", "m-2", "m-1"]


@pytest.mark.store
def test_a_released_message_leaves_the_list_once_and_may_be_parked_anew(sync_app: SyncDatabase, tenant: str) -> None:
    with sync_app.transaction(tenant) as connection:
        park(connection, tenant, "m-1")
        PARKING.count_failure(connection, said(tenant, "m-1"), error_class="KeyError")
        (waiting,) = PARKING.newest(connection, below=None, limit=9)

        released = PARKING.release(connection, waiting.parked_id)
        again = PARKING.release(connection, waiting.parked_id)
        listed = PARKING.newest(connection, below=None, limit=9)
        failures = connection.execute(select(FAILED)).all()
        is_news = park(connection, tenant, "m-1")

    assert released is not None
    assert json.loads(released.body or "")["id"] == "m-1"
    assert (again, listed, failures, is_news) == (None, (), [], True)


@pytest.mark.store
def test_a_body_is_kept_only_where_it_may_be(sync_app: SyncDatabase, tenant: str) -> None:
    discreet = Parking(parked=PARKED, failed=FAILED, keeps_body=lambda _, message: message.message_id == "m-1")

    with sync_app.transaction(tenant) as connection:
        for message_id in ("m-1", "m-2"):
            discreet.park(connection, said(tenant, message_id), parked_id=uuid7())
        listed = discreet.newest(connection, below=None, limit=9)

    assert [each.body is None for each in listed] == [True, False]


@pytest.mark.store
def test_what_is_old_is_forgotten_with_its_failures(sync_app: SyncDatabase, tenant: str) -> None:
    old = text("clock_timestamp() - interval '91 days'")
    with sync_app.transaction(tenant) as connection:
        for message_id in ("old", "spared", "new"):
            park(connection, tenant, message_id)
            PARKING.count_failure(connection, said(tenant, message_id), error_class="KeyError")
        connection.execute(update(PARKED).where(PARKED.c.message_id != "new").values(parked_at=old))
        connection.execute(update(FAILED).where(FAILED.c.message_id == "old").values(failed_at=old))

        dropped = PARKING.drop(connection, days=90, only=PARKED.c.message_id != "spared")
        left = [each.message_id for each in PARKING.newest(connection, below=None, limit=9)]
        counted = sorted(connection.execute(select(FAILED.c.message_id)).scalars())

    assert (dropped, left, counted) == (2, ["new", "spared"], ["new", "spared"])
