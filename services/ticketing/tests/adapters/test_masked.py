import pytest

from contracts.messages import CreateTicket, TicketContact, TicketFeedback, TranscriptTurn
from services.ticketing.tests.fakes import MOMENT, ScriptedHelpdesk, order
from ticketing.adapters.masked import MaskedHelpdesk
from ticketing.tickets.helpdesk import HelpdeskTicket

pytestmark = pytest.mark.unit

CARD = "4111111111111111"
PHONE = "13800138000"


def _order() -> CreateTicket:
    said = f"卡号 {CARD}，电话 {PHONE}。"
    feedback = TicketFeedback(rating="NOT_HELPFUL", reason_code="NEED_HUMAN", comment=said)
    turn = TranscriptTurn(question=said, answer="七天内可退。", asked_at=MOMENT)
    return order("shop", question=said).model_copy(
        update={"note": said, "feedback": feedback, "transcript": (turn,), "answer": "七天内可退。"}
    )


def test_no_text_of_a_customer_leaves_with_what_must_not_leave() -> None:
    given: list[CreateTicket] = []
    helpdesk = ScriptedHelpdesk(hear=given.append)

    MaskedHelpdesk(helpdesk, frozenset({"bank-card"})).create(_order())

    left = given[0].model_dump_json()
    assert CARD not in left
    assert left.count(PHONE) == left.count("[bank-card]") == 4


def test_where_nothing_is_named_everything_leaves() -> None:
    given: list[CreateTicket] = []

    MaskedHelpdesk(ScriptedHelpdesk(hear=given.append), frozenset()).create(_order())

    assert given == [_order()]


def test_all_else_is_the_helpdesks_own() -> None:
    helpdesk = ScriptedHelpdesk(created=["key-1"])
    masked = MaskedHelpdesk(helpdesk, frozenset({"phone"}))

    assert (masked.name, masked.guarantee, masked.limits, masked.is_polled) == (
        helpdesk.name,
        helpdesk.guarantee,
        helpdesk.limits,
        helpdesk.is_polled,
    )
    assert masked.find_by_key(tenant="shop", ticket_key="key-1") == HelpdeskTicket(external_id="7", number="S-7")
    assert masked.read(tenant="shop", external_id="7") is None


def test_fields_that_this_release_does_not_know_are_masked_like_all_others() -> None:
    given: list[CreateTicket] = []
    said: dict[str, object] = {
        "_fields_set": 1,
        "story": {CARD: [CARD, 7, True, None, int(CARD)]},
        "mood": f"卡号 {CARD}",
    }
    told = CreateTicket.model_validate({**_order().model_dump(mode="json"), **said})

    MaskedHelpdesk(ScriptedHelpdesk(hear=given.append), frozenset({"bank-card"})).create(told)

    assert given[0].model_extra == {
        "story": {"[bank-card]": ["[bank-card]", 7, True, None, "[bank-card]"]},
        "mood": "卡号 [bank-card]",
        "_fields_set": 1,
    }
    assert CARD not in given[0].model_dump_json()
    assert given[0].ticket_key == told.ticket_key


def test_of_an_allowed_contact_stays_behind_what_the_tenant_masks() -> None:
    given: list[CreateTicket] = []
    contact = TicketContact(name="李小龙", email="li@home.example", phone=PHONE)
    told = _order().model_copy(update={"contact": contact})

    for kinds in (frozenset({"bank-card"}), frozenset({"email", "name"})):
        MaskedHelpdesk(ScriptedHelpdesk(hear=given.append), kinds).create(told)

    assert [ticket.contact for ticket in given] == [contact, TicketContact(phone=PHONE)]
