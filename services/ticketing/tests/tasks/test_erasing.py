import threading
import time
from dataclasses import replace
from uuid import UUID

import pytest
from sqlalchemy import text

from contracts.ids import printed, uuid7
from contracts.messages import CUSTOMER_ERASED, CreateTicket, CustomerErased, Envelope, TicketContact
from runtime.database import Database
from runtime.replaying import send_again
from services.ticketing.tests.conftest import Acknowledgements, Eyes, LookAt
from services.ticketing.tests.fakes import MOMENT, ScriptedHelpdesk, WorkerKilled, message, only, order
from tests.support.databases import OpenDatabase
from ticketing.adapters.desk import BuiltInDesk
from ticketing.tasks.acting import resume
from ticketing.tasks.edge import Edge
from ticketing.tasks.polling import take_over
from ticketing.tasks.receiving import receive_erasure, receive_order
from ticketing.tickets.helpdesk import (
    Guarantee,
    HelpdeskStatus,
    HelpdeskTicket,
    NotCreatedError,
    OutcomeUnknownError,
    RefusedError,
)
from ticketing.tickets.store.parking import PARKING
from ticketing.tickets.store.reading import measure_queues
from ticketing.tickets.store.telling import OUTBOX

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
    with edge.database.transaction(tenant) as connection:
        assert sum(queue.depth for queue in measure_queues(connection) if queue.name != "OUTBOX") == 0


def test_an_order_and_its_erasure_wait_for_each_other(edge: Edge, tenant: str, eyes: Eyes) -> None:
    wanted = order(tenant, question=WORDS)
    erasing = threading.Thread(target=receive_erasure, args=(edge, erased(tenant, wanted.attempt_id)))
    waiting = (
        "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    )

    def new_id() -> UUID:
        # The order has found its attempt not erased, and its row is not written yet.
        if erasing.ident is None:
            erasing.start()
            while erasing.is_alive() and not eyes.rows(waiting):
                pass
        return uuid7()

    receive_order(replace(edge, new_id=new_id), message(wanted))
    erasing.join()

    assert held(eyes) == []


def test_what_is_erased_while_the_desk_is_asked_is_not_kept_there(edge: Edge, tenant: str, eyes: Eyes) -> None:
    wanted = order(tenant, question=WORDS)
    desk = BuiltInDesk(edge.database, new_id=uuid7)

    def hear(ticket: CreateTicket) -> None:
        receive_erasure(edge, erased(tenant, wanted.attempt_id))
        desk.create(ticket)

    receive_order(replace(edge, choose=only(ScriptedHelpdesk(hear=hear))), message(wanted))

    assert held(eyes) == []
    assert eyes.rows("SELECT attempt_id FROM desk_ticket") == [{"attempt_id": wanted.attempt_id}]


def test_a_try_that_fails_while_its_attempt_is_erased_is_the_last(edge: Edge, tenant: str, eyes: Eyes) -> None:
    wanted = order(tenant, question=WORDS)
    body = erased(tenant, wanted.attempt_id)
    helpdesk = ScriptedHelpdesk(errors=[NotCreatedError()], before=lambda: receive_erasure(edge, body))
    edge = replace(edge, choose=only(helpdesk))
    receive_order(edge, message(wanted))
    eyes.come_due()

    assert not resume(edge, tenant=tenant, ticket_id=eyes.ticket()["id"])
    assert (helpdesk.created, eyes.ticket()["state"], eyes.ticket()["due_at"]) == ([], "RETRYING", None)


def test_a_try_whose_worker_vanishes_while_its_attempt_is_erased_is_not_left_under_way(
    edge: Edge, tenant: str, eyes: Eyes
) -> None:
    wanted = order(tenant, question=WORDS)

    def vanish() -> None:
        receive_erasure(edge, erased(tenant, wanted.attempt_id))
        raise WorkerKilled

    edge = replace(edge, choose=only(ScriptedHelpdesk(before=vanish)))
    with pytest.raises(WorkerKilled):
        receive_order(edge, message(wanted))
    eyes.pass_time(180)
    eyes.come_due()

    # Whether it exists is still found out; here it does not.
    assert resume(edge, tenant=tenant, ticket_id=eyes.ticket()["id"])
    assert (eyes.ticket()["state"], eyes.ticket()["due_at"], eyes.ticket()["open_since"]) == ("RETRYING", None, None)


@pytest.mark.parametrize(
    "guarantee",
    [Guarantee("native_key"), Guarantee("strong_lookup"), Guarantee("lagging_lookup")],
    ids=lambda g: g.kind,
)
def test_a_ticket_that_exists_unseen_when_its_attempt_is_erased_is_found_and_recorded(
    edge: Edge, tenant: str, eyes: Eyes, guarantee: Guarantee
) -> None:
    wanted = order(tenant, question=WORDS)
    helpdesk = ScriptedHelpdesk(guarantee=guarantee, errors=[OutcomeUnknownError()], is_polled=True)
    edge = replace(edge, choose=only(helpdesk))
    receive_order(edge, message(wanted))
    receive_erasure(edge, erased(tenant, wanted.attempt_id))
    eyes.come_due()

    assert resume(edge, tenant=tenant, ticket_id=eyes.ticket()["id"])
    found = eyes.ticket()
    assert (found["state"], found["external_id"], found["open_since"], found["poll_at"]) == ("CREATED", "7", None, None)
    assert (helpdesk.created, helpdesk.lookups) == (["key-1"], 1)
    assert held(eyes) == []
    assert [status for status, _, _ in eyes.told()] == []


def test_a_ticket_that_cannot_be_looked_for_after_its_erasure_waits_for_a_person(
    edge: Edge, tenant: str, eyes: Eyes
) -> None:
    class Mute(ScriptedHelpdesk):
        def find_by_key(self, *, tenant: str, ticket_key: str) -> HelpdeskTicket | None:
            del tenant, ticket_key
            raise RefusedError

    wanted = order(tenant, question=WORDS)
    edge = replace(edge, choose=only(Mute(errors=[OutcomeUnknownError()])))
    receive_order(edge, message(wanted))
    receive_erasure(edge, erased(tenant, wanted.attempt_id))
    eyes.come_due()

    assert resume(edge, tenant=tenant, ticket_id=eyes.ticket()["id"])
    assert eyes.ticket()["state"] == "NEEDS_ATTENTION"
    with edge.database.transaction(tenant) as connection:
        waiting = {queue.name: queue.depth for queue in measure_queues(connection)}
    assert waiting["NEEDS_ATTENTION"] == 1


def test_fields_and_contacts_that_this_release_does_not_know_are_forgotten_too(
    edge: Edge, tenant: str, eyes: Eyes
) -> None:
    contact = TicketContact(name="李", email=f"{WORDS}@home.example", phone="13800138000")
    wanted = order(tenant).model_copy(update={"contact": contact})
    receive_order(edge, message(wanted, extra={"customer_story": {"told": [WORDS]}}))
    assert set(held(eyes)) == {"ticket", "desk_ticket"}

    receive_erasure(edge, erased(tenant, wanted.attempt_id))

    assert held(eyes) == []
    assert "home.example" not in str(eyes.ticket()["body"])


def test_what_a_person_writes_after_an_erasure_is_not_kept(edge: Edge, tenant: str, eyes: Eyes) -> None:
    wanted = order(tenant)
    helpdesk = ScriptedHelpdesk(is_polled=True)
    receive_order(replace(edge, choose=only(helpdesk)), message(wanted))
    receive_erasure(edge, erased(tenant, wanted.attempt_id))
    assert eyes.ticket()["poll_at"] is None

    solved = HelpdeskStatus(status="SOLVED", solution=WORDS)

    assert not take_over(edge, tenant=tenant, ticket_key=wanted.ticket_key, found=solved)
    assert held(eyes) == []


def test_an_unreadable_order_of_an_erased_attempt_is_not_put_aside(
    edge: Edge, tenant: str, eyes: Eyes, acknowledgements: Acknowledgements
) -> None:
    wanted = order(tenant, question=WORDS)
    receive_erasure(edge, erased(tenant, wanted.attempt_id))

    late = message(wanted, extra={"handoff": "perhaps"})
    receive_order(edge, late)

    assert held(eyes) == []
    assert acknowledgements.message_ids[-1] == late["id"]


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


async def test_an_erasure_finds_what_is_just_being_sent_through_again(
    edge: Edge, tenant: str, eyes: Eyes, service_database: OpenDatabase
) -> None:
    wanted = order(tenant, question=WORDS)
    receive_order(edge, message(wanted, extra={"priority": "panic"}))
    (waiting,) = eyes.rows("SELECT id FROM parked_message")
    parked_id = printed("msg", waiting["id"])
    app = Database(service_database("ticketing").app, pool_size=1)
    eraser = threading.Thread(target=receive_erasure, args=(edge, erased(tenant, wanted.attempt_id)))

    async with app.transaction(tenant) as connection:
        await send_again(connection, PARKING, parked_id, table=OUTBOX, queue="ticketing", new_id=uuid7)
        eraser.start()
        until_somebody_waits(eyes)
    eraser.join(60)
    await app.close()

    assert held(eyes) == []


def until_somebody_waits(eyes: Eyes) -> None:
    deadline = time.monotonic() + 60
    while not eyes.rows("SELECT pid FROM pg_locks WHERE NOT granted"):
        assert time.monotonic() < deadline
