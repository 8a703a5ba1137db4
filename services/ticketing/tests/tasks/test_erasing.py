from dataclasses import replace

import pytest
from sqlalchemy import text

from contracts.ids import uuid7
from contracts.messages import CUSTOMER_ERASED, CustomerErased, Envelope
from services.ticketing.tests.conftest import Acknowledgements, Eyes, LookAt
from services.ticketing.tests.fakes import MOMENT, ScriptedHelpdesk, message, only, order
from ticketing.tasks.edge import Edge
from ticketing.tasks.receiving import receive_erasure, receive_order
from ticketing.tickets.helpdesk import NotCreatedError

pytestmark = pytest.mark.store

WORDS = "oystercatcher"


def erased(tenant: str, *attempt_ids: str, of: str | None = None) -> dict[str, object]:
    said = CustomerErased(tenant=of or tenant, customer=None, attempt_ids=attempt_ids, erased_at=MOMENT)
    envelope = Envelope(
        id=str(uuid7()),
        source="bff",
        type=CUSTOMER_ERASED,
        subject=attempt_ids[0],
        time=MOMENT,
        tenant=tenant,
        attemptid=attempt_ids[0],
        data=said.model_dump(mode="json"),
    )
    return envelope.model_dump(mode="json")


def held(eyes: Eyes) -> list[str]:
    """Name the tables in which a row of the tenant holds the words."""
    tables = eyes.rows("SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace")
    names = [row["relname"] for row in tables]
    with eyes.database.transaction(eyes.tenant) as connection:
        return [
            name
            for name in names
            if connection.execute(
                text(f'SELECT EXISTS (SELECT FROM "{name}" AS row WHERE row::text LIKE :words)'),  # noqa: S608 - a table's own name
                {"words": f"%{WORDS}%"},
            ).scalar_one()
        ]


def test_the_texts_of_a_ticket_go_and_the_rest_stays(
    edge: Edge, tenant: str, eyes: Eyes, acknowledgements: Acknowledgements
) -> None:
    wanted = order(tenant, question=WORDS).model_copy(update={"note": WORDS})
    receive_order(edge, message(wanted))
    eyes.run(f"UPDATE ticket SET solution = '{WORDS}'")  # noqa: S608 - made-up words
    assert set(held(eyes)) == {"ticket", "desk_ticket"}
    before = eyes.ticket()

    body = erased(tenant, wanted.attempt_id)
    receive_erasure(edge, body)
    receive_erasure(edge, body)

    assert held(eyes) == []
    after = eyes.ticket()
    kept = ("id", "ticket_key", "state", "status", "ticket_number", "external_id", "sequence", "body_hash")
    assert [after[name] for name in kept] == [before[name] for name in kept]
    assert eyes.rows("SELECT number, status FROM desk_ticket") == [{"number": 1001, "status": "OPEN"}]
    assert acknowledgements.message_ids[-2:] == [body["id"], body["id"]]


def test_an_order_that_comes_after_its_erasure_opens_nothing(
    edge: Edge, tenant: str, eyes: Eyes, acknowledgements: Acknowledgements
) -> None:
    wanted = order(tenant, question=WORDS)
    receive_erasure(edge, erased(tenant, wanted.attempt_id))

    late = message(wanted)
    receive_order(edge, late)

    assert (held(eyes), eyes.rows("SELECT id FROM ticket")) == ([], [])
    assert acknowledgements.message_ids[-1] == late["id"]


def test_a_ticket_that_is_not_opened_yet_is_not_opened_any_more(edge: Edge, tenant: str, eyes: Eyes) -> None:
    wanted = order(tenant, question=WORDS)
    refusing = ScriptedHelpdesk(errors=[NotCreatedError()])
    receive_order(replace(edge, choose=only(refusing)), message(wanted))
    assert eyes.ticket()["state"] == "RETRYING"

    receive_erasure(edge, erased(tenant, wanted.attempt_id))

    assert held(eyes) == []
    assert eyes.ticket()["due_at"] is None


def test_what_was_put_aside_goes_too(edge: Edge, tenant: str, eyes: Eyes) -> None:
    wanted = order(tenant)
    receive_order(edge, message(wanted))
    receive_order(edge, message(order(tenant, question=WORDS)))
    assert "parked_message" in held(eyes)

    receive_erasure(edge, erased(tenant, wanted.attempt_id))

    assert held(eyes) == []


def test_another_tenants_tickets_stay(edge: Edge, tenant: str, eyes: Eyes, look_at: LookAt) -> None:
    wanted = order(tenant, question=WORDS)
    receive_order(edge, message(wanted))

    receive_erasure(edge, erased("somebody-else", wanted.attempt_id))
    receive_erasure(edge, erased("somebody-else", wanted.attempt_id, of=tenant))

    assert set(held(eyes)) == {"ticket", "desk_ticket"}
    assert len(look_at("somebody-else").rows("SELECT id FROM parked_message")) == 1
