"""What goes to and comes from systems of others over HTTP: Standard Webhooks bodies.

Source: Standard Webhooks 1.0 (`type`, `timestamp`, `data`; the headers `webhook-id`, `webhook-timestamp`,
`webhook-signature`). The id is the same at every try.
"""

from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import Field

from contracts.messages import CreateTicket
from contracts.model import Message

NOTICE: Final = "knowledge.notice"
TICKET: Final = "youju.ticket.v1"

NoticeItem = dict[str, str | int | None]


class NoticeData(Message):
    """What an owner of rules is told: ids, names and days of our records, never a customer's text."""

    tenant: str = Field(description="Whose rules", max_length=100, examples=["demo"])
    notice_id: str = Field(description="The notice: the same at every try", max_length=64, examples=["ntc_…"])
    kind: Literal["OVERDUE", "EXPIRING", "CONFLICT", "RECALL"] = Field(description="What it is about")
    subject: str = Field(description="Which rule or version", max_length=10_000, examples=["returns:2026-07"])
    period: str = Field(description="The week or day it stands for", max_length=100, examples=["2026-W48"])
    items: tuple[NoticeItem, ...] = Field(description="The rules, documents or pairs it names", max_length=1_000)


class NoticeWebhook(Message):
    """A notice, sent to the tenant's webhook."""

    type: Literal["knowledge.notice"] = Field(description="What this is")
    timestamp: datetime = Field(description="When the notice was made, UTC", examples=["2026-11-30T08:00:00Z"])
    data: NoticeData = Field(description="The notice")


class TicketOrder(CreateTicket):
    """An order for a ticket, with its text written out."""

    subject: str = Field(description="The subject, our key at its end", max_length=10_000)
    text_plain: str = Field(description="The text as plain text", max_length=1_000_000)
    text_html: str = Field(description="The same as HTML", max_length=1_000_000)


class TicketWebhook(Message):
    """An order for a ticket, sent to a helpdesk of kind `webhook`."""

    type: Literal["youju.ticket.v1"] = Field(description="What this is")
    timestamp: datetime = Field(description="When a person was asked for, UTC", examples=["2026-11-30T08:00:00Z"])
    data: TicketOrder = Field(description="The order")


class TicketTaken(Message):
    """What the helpdesk answers, with 200 or 201: the same to a repeated id."""

    external_id: str = Field(description="Its own id", max_length=200, examples=["88"])
    number: str = Field(description="What people call the ticket", max_length=200, examples=["T-1042"])


class TicketMove(Message):
    """Where a ticket stands now."""

    ticket_key: str = Field(description="The key of the order", max_length=200)
    status: Literal["OPEN", "IN_PROGRESS", "SOLVED"] = Field(description="Only what leads forward is told on")
    solution: Annotated[str, Field(max_length=4_000)] | None = Field(
        default=None, description="What a person wrote for the customer"
    )


class TicketMoveWebhook(Message):
    """What a helpdesk posts to `/v1/hooks/{tenant}/{helpdesk}` of ticketing: its envelope may hold more."""

    data: TicketMove = Field(description="The move")
