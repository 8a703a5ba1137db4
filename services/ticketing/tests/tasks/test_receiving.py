import random
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import pytest

from contracts.errors import TryAgainError, UnavailableError
from contracts.ids import uuid7
from contracts.messages import ACKNOWLEDGED, Envelope
from contracts.reading import NO_TENANT
from services.ticketing.tests.conftest import Acknowledgements, Eyes, LookAt
from services.ticketing.tests.fakes import MOMENT, ScriptedHelpdesk, WorkerKilled, message, only, order
from ticketing.tasks.batches import receive_orders
from ticketing.tasks.edge import Edge
from ticketing.tasks.forgetting import forget_parked
from ticketing.tasks.receiving import receive_acknowledgement, receive_order, receive_unknown_version
from ticketing.tickets.helpdesk import Helpdesk

pytestmark = pytest.mark.store


def _receive_at_once(edge: Edge, bodies: list[dict[str, object]]) -> None:
    with ThreadPoolExecutor(max_workers=16) as workers:
        list(workers.map(partial(receive_order, edge), bodies))


def test_an_order_becomes_a_ticket_with_a_number_people_can_read(
    edge: Edge, tenant: str, eyes: Eyes, acknowledgements: Acknowledgements
) -> None:
    body = message(order(tenant))

    receive_order(edge, body)

    assert eyes.ticket()["state"] == "CREATED"
    assert eyes.told() == [("TICKET_CREATED", 1, "T-1001")]
    assert acknowledgements.message_ids == [body["id"]]


def test_tickets_of_a_tenant_are_numbered_one_after_the_other(edge: Edge, tenant: str, eyes: Eyes) -> None:
    for key in ("a", "b", "c"):
        receive_order(edge, message(order(tenant, ticket_key=key)))

    assert [row["number"] for row in eyes.rows("SELECT number FROM desk_ticket ORDER BY id")] == [1001, 1002, 1003]


def test_every_row_carries_the_attempt(edge: Edge, tenant: str, eyes: Eyes) -> None:
    wanted = order(tenant)

    receive_order(edge, message(wanted))

    for table in ("ticket", "ticket_try", "desk_ticket", "outbox"):
        assert eyes.rows(f"SELECT attempt_id FROM {table}") == [{"attempt_id": wanted.attempt_id}]  # noqa: S608


def test_the_same_message_twice_gives_one_ticket(edge: Edge, tenant: str, eyes: Eyes) -> None:
    body = message(order(tenant))

    receive_order(edge, body)
    receive_order(edge, body)

    assert len(eyes.rows("SELECT id FROM desk_ticket")) == 1
    assert len(eyes.rows("SELECT id FROM ticket_try")) == 1


def test_a_repeat_is_answered_with_the_first_result(edge: Edge, tenant: str, eyes: Eyes) -> None:
    receive_order(edge, message(order(tenant)))
    eyes.run("UPDATE outbox SET state = 'ACKNOWLEDGED', acknowledged_at = clock_timestamp()")

    receive_order(edge, message(order(tenant)))

    assert [row["state"] for row in eyes.rows("SELECT state FROM outbox")] == ["PENDING"]
    assert eyes.told() == [("TICKET_CREATED", 1, "T-1001")]


def test_fifty_at_once_give_one_ticket(edge: Edge, tenant: str, eyes: Eyes, acknowledgements: Acknowledgements) -> None:
    bodies = [message(order(tenant)) for _ in range(50)]

    _receive_at_once(edge, bodies)

    assert len(eyes.rows("SELECT id FROM desk_ticket")) == 1
    assert eyes.told() == [("TICKET_CREATED", 1, "T-1001")]
    assert set(acknowledgements.message_ids) == {body["id"] for body in bodies}


def test_fifty_different_orders_at_once_give_fifty_numbers(edge: Edge, tenant: str, eyes: Eyes) -> None:
    bodies = [message(order(tenant, ticket_key=f"key-{n}")) for n in range(50)]

    _receive_at_once(edge, bodies)

    numbers = [row["number"] for row in eyes.rows("SELECT number FROM desk_ticket ORDER BY number")]
    assert numbers == list(range(1001, 1051))


def test_other_content_under_the_same_key_is_parked_and_the_first_ticket_stands(
    edge: Edge, tenant: str, eyes: Eyes, acknowledgements: Acknowledgements
) -> None:
    first = message(order(tenant, question="第一个问题"))
    other = message(order(tenant, question="another question"))

    receive_order(edge, first)
    receive_order(edge, other)

    assert [row["reason"] for row in eyes.rows("SELECT reason FROM parked_message")] == ["CONFLICT"]
    assert [row["body"]["question"] for row in eyes.rows("SELECT body FROM desk_ticket")] == ["第一个问题"]
    assert acknowledgements.message_ids == [first["id"], other["id"]]


def test_unknown_optional_fields_reach_the_ticket(edge: Edge, tenant: str, eyes: Eyes) -> None:
    receive_order(edge, message(order(tenant), extra={"customer_mood": "calm"}))

    (row,) = eyes.rows("SELECT body FROM desk_ticket")
    assert row["body"]["customer_mood"] == "calm"


def test_a_malformed_order_is_parked_and_acknowledged(
    edge: Edge, tenant: str, eyes: Eyes, acknowledgements: Acknowledgements
) -> None:
    body = message(order(tenant), extra={"note": "a\x00b"})

    receive_order(edge, body)
    receive_order(edge, body)

    assert [row["reason"] for row in eyes.rows("SELECT reason FROM parked_message")] == ["MALFORMED"]
    assert eyes.rows("SELECT id FROM ticket") == []
    assert acknowledgements.message_ids == [body["id"]] * 2


def test_an_order_whose_key_is_too_long_for_a_row_is_parked_with_its_reason(
    edge: Edge, tenant: str, eyes: Eyes, acknowledgements: Acknowledgements
) -> None:
    endless = "".join(random.Random(1).choices("abcdefgh0123456789", k=9_000))  # noqa: S311 - no secret
    body = message(order(tenant, ticket_key=endless))

    receive_order(edge, body)
    receive_orders(edge, [body, message(order(tenant))])

    found = eyes.rows("SELECT reason, detail FROM parked_message")
    assert found == [{"reason": "MALFORMED", "detail": "ticket_key: longer than 200 characters"}]
    assert eyes.ticket()["ticket_key"] == "key-1"
    assert acknowledgements.message_ids.count(str(body["id"])) == 2


def test_a_message_that_is_no_envelope_is_parked(edge: Edge, look_at: LookAt) -> None:
    mark = str(uuid7())

    receive_order(edge, {"id": mark, "specversion": "0.3"})

    rows = look_at(NO_TENANT).rows(f"SELECT reason FROM parked_message WHERE message_id = '{mark}'")  # noqa: S608
    assert [row["reason"] for row in rows] == ["MALFORMED"]


def test_a_lost_acknowledgement_does_not_lose_the_ticket(edge: Edge, tenant: str, eyes: Eyes) -> None:
    def lose(_envelopes: Sequence[Envelope]) -> None:
        raise TryAgainError

    receive_order(replace(edge, acknowledge=lose), message(order(tenant)))

    assert eyes.ticket()["state"] == "CREATED"


def test_a_worker_killed_between_ledger_row_and_ticket_leaves_one_ticket(edge: Edge, tenant: str, eyes: Eyes) -> None:
    def kill() -> None:
        raise WorkerKilled

    body = message(order(tenant))
    with pytest.raises(WorkerKilled):
        receive_order(replace(edge, choose=only(ScriptedHelpdesk(before=kill))), body)
    assert eyes.ticket()["state"] == "CREATING"
    eyes.come_due()

    receive_order(edge, body)

    assert eyes.told() == [("TICKET_CREATED", 1, "T-1001")]
    tries = eyes.rows("SELECT outcome FROM ticket_try ORDER BY fence")
    assert [row["outcome"] for row in tries] == [None, "CREATED"]


def test_a_worker_killed_between_ticket_and_its_record_leaves_one_ticket(edge: Edge, tenant: str, eyes: Eyes) -> None:
    def kill() -> None:
        raise WorkerKilled

    helpdesk = ScriptedHelpdesk(after=kill)
    body = message(order(tenant))
    with pytest.raises(WorkerKilled):
        receive_order(replace(edge, choose=only(helpdesk)), body)
    eyes.come_due()
    helpdesk.after = lambda: None

    receive_order(replace(edge, choose=only(helpdesk)), body)

    assert helpdesk.created == ["key-1"]
    assert eyes.told() == [("TICKET_CREATED", 1, "S-7")]


def test_a_repeat_while_somebody_holds_the_ticket_starts_no_second_try(edge: Edge, tenant: str, eyes: Eyes) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def pause() -> None:
        inside.set()
        assert go_on.wait(30)

    helpdesk = ScriptedHelpdesk(after=pause)
    slow = threading.Thread(target=receive_order, args=(replace(edge, choose=only(helpdesk)), message(order(tenant))))
    slow.start()
    assert inside.wait(30)

    receive_order(replace(edge, choose=only(helpdesk)), message(order(tenant)))
    go_on.set()
    slow.join(30)

    assert len(eyes.rows("SELECT id FROM ticket_try")) == 1
    assert eyes.told() == [("TICKET_CREATED", 1, "S-7")]


def test_an_acknowledgement_ends_the_repetition(edge: Edge, tenant: str, eyes: Eyes) -> None:
    receive_order(edge, message(order(tenant)))
    (sent,) = eyes.rows("SELECT id FROM outbox")
    answer = Envelope(
        id=str(uuid7()),
        source="bff",
        type=ACKNOWLEDGED,
        subject="key-1",
        time=MOMENT,
        tenant=tenant,
        attemptid="att_" + "1" * 32,
        data={"message_id": str(sent["id"])},
    )

    receive_acknowledgement(edge, answer.model_dump(mode="json"))

    assert [row["state"] for row in eyes.rows("SELECT state FROM outbox")] == ["ACKNOWLEDGED"]


def _problems(eyes: Eyes) -> list[tuple[str, int, str | None]]:
    found = eyes.rows("SELECT data FROM outbox ORDER BY (data->>'sequence')::int")
    return [(row["data"]["status"], row["data"]["sequence"], row["data"]["problem"]) for row in found]


def test_other_content_is_reported_once_with_the_number_of_the_first_ticket(
    edge: Edge, tenant: str, eyes: Eyes
) -> None:
    other = message(order(tenant, question="another question"))
    receive_order(edge, message(order(tenant)))

    receive_order(edge, other)
    receive_order(edge, other)

    assert _problems(eyes) == [("TICKET_CREATED", 1, None), ("TICKET_CREATED", 2, "CONFLICT")]
    assert eyes.told()[1] == ("TICKET_CREATED", 2, "T-1001")


def test_an_order_that_cannot_be_read_is_reported_and_its_correction_is_still_heard(
    edge: Edge, tenant: str, eyes: Eyes
) -> None:
    receive_order(edge, message(order(tenant), extra={"priority": "panic"}))

    receive_order(edge, message(order(tenant)))

    assert _problems(eyes) == [("DELAYED", 1, "MALFORMED"), ("TICKET_CREATED", 2, None)]


def test_an_unknown_major_version_is_parked_with_its_reason_and_acknowledged(
    edge: Edge, tenant: str, eyes: Eyes, acknowledgements: Acknowledgements
) -> None:
    body = message(order(tenant)) | {"type": "youju.create_ticket.v2"}

    receive_unknown_version(edge, body)

    (row,) = eyes.rows("SELECT reason, detail FROM parked_message")
    assert row == {"reason": "UNKNOWN_VERSION", "detail": "This release does not know youju.create_ticket.v2."}
    assert _problems(eyes) == [("DELAYED", 1, "UNKNOWN_VERSION")]
    assert acknowledgements.message_ids == [body["id"]]


def test_a_message_whose_handling_fails_three_times_is_parked(
    edge: Edge, tenant: str, eyes: Eyes, acknowledgements: Acknowledgements
) -> None:
    def fail(_tenant: str, _tried: str | None) -> Helpdesk:
        raise LookupError

    broken, body = replace(edge, choose=fail), message(order(tenant))
    for _ in range(2):
        with pytest.raises(LookupError):
            receive_order(broken, body)
    assert eyes.rows("SELECT id FROM parked_message") == []

    receive_order(broken, body)

    assert [row["reason"] for row in eyes.rows("SELECT reason FROM parked_message")] == ["POISON"]
    assert acknowledgements.message_ids == [body["id"]]


def test_a_database_that_is_away_makes_no_poison(edge: Edge, tenant: str, eyes: Eyes) -> None:
    def fail(_tenant: str, _tried: str | None) -> Helpdesk:
        raise UnavailableError

    broken, body = replace(edge, choose=fail), message(order(tenant))
    for _ in range(4):
        with pytest.raises(UnavailableError):
            receive_order(broken, body)

    assert eyes.rows("SELECT id FROM parked_message") == []


def test_what_was_put_aside_is_forgotten_after_its_time_but_no_number_of_a_sequence(
    edge: Edge, tenant: str, eyes: Eyes
) -> None:
    unowned: dict[str, object] = {"tenant": tenant, "id": "without-an-order"}
    owned = message(order(tenant), extra={"language": "fr"})
    recent = {**unowned, "id": "recent"}
    for body in (unowned, owned, recent):
        receive_order(edge, body)
    eyes.run("UPDATE parked_message SET parked_at = now() - interval '91 days' WHERE message_id <> 'recent'")
    eyes.run(
        f"INSERT INTO failed_delivery (tenant, message_id, error_class, failed_at)"  # noqa: S608 - the tests' own tenant
        f" VALUES ('{tenant}', 'm', 'KeyError', now() - interval '91 days')"
    )

    forget_parked(edge.database, tenants=(tenant,), days=90)
    forget_parked(edge.database, tenants=(tenant,), days=90)

    rows = eyes.rows(
        "SELECT is_reported, body, replayed_at IS NULL AS is_listed FROM parked_message ORDER BY is_reported"
    )
    assert [(row["is_reported"], row["body"] == "", row["is_listed"]) for row in rows] == [
        (False, False, True),
        (True, True, False),
    ]
    assert eyes.rows("SELECT message_id FROM failed_delivery") == []
