"""Hear from helpdesks what people did with tickets: signed, recent, and each message once."""

from typing import Annotated, Final, Literal

from fastapi import APIRouter, Header, Request
from pydantic import ValidationError
from sqlalchemy import Connection

from contracts.errors import InvalidRequestError, NotFoundError
from contracts.ids import uuid7
from contracts.model import Message, Outgoing
from contracts.reasons import EscalationStatus
from runtime.clock import utc_now
from runtime.database import Database
from ticketing.adapters.inbound import secrets_of
from ticketing.api.parameters import HelpdeskName, TenantName
from ticketing.api.problems import problems
from ticketing.api.texts import ShortText, Solution
from ticketing.tickets.signing import verify
from ticketing.tickets.store import inbox, telling

router = APIRouter(prefix="/v1/hooks", tags=["hooks"])

_MEANING: Final[dict[str, EscalationStatus]] = {
    "OPEN": "TICKET_CREATED",
    "IN_PROGRESS": "IN_PROGRESS",
    "SOLVED": "SOLVED",
}


class TicketMove(Message):
    """Where a ticket stands now."""

    ticket_key: ShortText
    status: Literal["OPEN", "IN_PROGRESS", "SOLVED"]
    solution: Solution | None = None


class HookEvent(Message):
    """What a helpdesk sends: its envelope may hold more than we read."""

    data: TicketMove


class Heard(Outgoing):
    """Whether this told us something new; a repeat and a late message do not."""

    is_news: bool


@router.post("/{tenant}/{helpdesk}", responses=problems(404))
async def hear(  # noqa: PLR0913 - the three headers are the signature
    request: Request,
    *,
    tenant: TenantName,
    helpdesk: HelpdeskName,
    webhook_id: Annotated[
        str, Header(max_length=200, description="Names the message; the same at every try", examples=["msg_2Lh9"])
    ],
    webhook_timestamp: Annotated[
        str, Header(max_length=20, description="When it was sent, in seconds since 1970", examples=["1796025600"])
    ],
    webhook_signature: Annotated[
        str,
        Header(
            max_length=4_000,
            description="`v1,` and the HMAC-SHA256 of id, timestamp and body in base64; several with blanks between",
            examples=["v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="],
        ),
    ],
) -> Heard:
    """Take over where a ticket stands. Repeat, and out of order: only what leads forward is told.

    Errors: 401 for a wrong or old signature; 404 for a helpdesk or ticket we do not know; 400 for an unreadable body.
    """
    body = await request.body()
    verify(
        secrets_of(request.app.state.inbound, helpdesk, "webhook"),
        message_id=webhook_id,
        timestamp=webhook_timestamp,
        signature=webhook_signature,
        body=body,
        now=utc_now(),
    )
    move = _read(body)
    database: Database = request.app.state.database
    async with database.transaction(tenant) as connection:
        is_news = await connection.run_sync(_take, move, tenant=tenant, helpdesk=helpdesk, message_id=webhook_id)
    return Heard(is_news=is_news)


def _take(connection: Connection, move: TicketMove, *, tenant: str, helpdesk: str, message_id: str) -> bool:
    # A helpdesk speaks of its own tickets only, whatever tenant it names.
    if not inbox.is_held_by(connection, helpdesk=helpdesk, ticket_key=move.ticket_key):
        raise NotFoundError
    if not inbox.is_first(connection, tenant=tenant, helpdesk=helpdesk, message_id=message_id):
        return False
    news = telling.News(status=_MEANING[move.status], solution=move.solution)
    stamp = telling.Stamp(now=utc_now(), message_id=uuid7())
    return telling.report_status(connection, move.ticket_key, news, stamp)


def _read(body: bytes) -> TicketMove:
    try:
        return HookEvent.model_validate_json(body).data
    except ValidationError as unreadable:
        raise InvalidRequestError("The body is not a move of a ticket.") from unreadable
