"""Take personal data out of what a customer wrote before it leaves for a helpdesk."""

from collections.abc import Callable, Mapping
from typing import TypeVar, cast

from contracts.messages import CreateTicket, TicketContact, TicketFeedback, TranscriptTurn
from contracts.model import Message

Mask = Callable[[str], str]
"""Gives a text without what must not leave."""
MessageT = TypeVar("MessageT", bound=Message)


def masked(order: CreateTicket, mask: Mask, *, kinds: frozenset[str] = frozenset()) -> CreateTicket:
    """Mask every text of the customer, and every text in fields that this release does not know.

    Answers and quotes come from policies. Of the contact, which the tenant allowed, only what is among the masked `kinds`
    stays behind.
    """
    known = order.model_copy(
        update={
            "question": mask(order.question),
            "note": mask(order.note) if order.note else order.note,
            "feedback": _feedback(order.feedback, mask),
            "transcript": tuple(_turn(turn, mask) for turn in order.transcript),
            "citations": tuple(_with_masked_extras(each, mask) for each in order.citations),
            "contact": _contact(order.contact, kinds),
        }
    )
    return _with_masked_extras(known, mask)


def masked_value(value: object, mask: Mask) -> object:
    """Mask every text in parsed JSON, names of fields and digits of numbers included."""
    match value:
        case str():
            return mask(value)
        case bool() | None:
            return value
        case int() | float():
            text = str(value)
            return value if mask(text) == text else mask(text)
        case dict():
            members = cast("Mapping[str, object]", value)  # parsed JSON
            return {mask(name): masked_value(member, mask) for name, member in members.items()}
        case list() | tuple():
            return [masked_value(member, mask) for member in cast("list[object]", value)]  # parsed JSON
        case _:
            return None


def _with_masked_extras(message: MessageT, mask: Mask) -> MessageT:
    known = message.model_dump(include=set(type(message).model_fields))
    extras = {mask(name): masked_value(value, mask) for name, value in (message.model_extra or {}).items()}
    return type(message).model_validate({**extras, **known})


def _feedback(feedback: TicketFeedback | None, mask: Mask) -> TicketFeedback | None:
    if feedback is None:
        return None
    comment = mask(feedback.comment) if feedback.comment else feedback.comment
    return _with_masked_extras(feedback.model_copy(update={"comment": comment}), mask)


def _turn(turn: TranscriptTurn, mask: Mask) -> TranscriptTurn:
    return _with_masked_extras(turn.model_copy(update={"question": mask(turn.question)}), mask)


def _contact(contact: TicketContact | None, kinds: frozenset[str]) -> TicketContact | None:
    if contact is None:
        return None
    said = {"name": contact.name, "email": contact.email, "phone": contact.phone}
    return TicketContact(**{kind: None if kind in kinds else value for kind, value in said.items()})
