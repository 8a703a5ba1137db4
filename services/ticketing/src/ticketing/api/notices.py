"""Hear from Zendesk and Zammad, in their own ways, that a ticket changed; what became of it we then read ourselves.

A notice is signed, and says no more than which ticket to look at: so one that comes late, twice or out of order cannot move
anything back, and templates of notices may hold what they like.
"""

from typing import Annotated, Final

from fastapi import APIRouter, Header, Request
from pydantic import AliasChoices, AliasPath, BaseModel, Field, ValidationError
from sqlalchemy import Connection

from contracts.errors import InvalidRequestError
from contracts.model import Outgoing
from runtime.clock import utc_now
from runtime.database import Database
from ticketing.adapters.inbound import secrets_of
from ticketing.api.parameters import HelpdeskName, TenantName
from ticketing.api.problems import problems
from ticketing.tickets.store import inbox
from ticketing.tickets.vendor_signing import check_zammad, check_zendesk

router = APIRouter(prefix="/v1/hooks", tags=["hooks"])

_LARGEST_ID: Final = 10**18

TicketNumber = Annotated[int, Field(ge=1, le=_LARGEST_ID)]


class ZendeskNotice(BaseModel):
    """A ticket event, or the body of a trigger: `{"ticketId": "{{ticket.id}}"}`."""

    ticket_id: TicketNumber = Field(validation_alias=AliasChoices(AliasPath("detail", "id"), "ticketId", "ticket_id"))


class ZammadNotice(BaseModel):
    """What a trigger sends of a ticket."""

    ticket_id: TicketNumber = Field(validation_alias=AliasChoices(AliasPath("ticket", "id"), "ticketId", "ticket_id"))


class Noticed(Outgoing):
    """Whether the ticket is one of ours that is not solved yet; it is read at once then."""

    is_read: bool


@router.post("/{tenant}/{helpdesk}/zendesk", responses=problems())
async def hear_zendesk(
    request: Request,
    *,
    tenant: TenantName,
    helpdesk: HelpdeskName,
    x_zendesk_webhook_signature: Annotated[
        str,
        Header(
            max_length=200,
            description="The HMAC-SHA256 of timestamp and body in base64",
            examples=["EiqWE3SXTPQpPulBV6OSuuGziIishZNc1VwNZYqZrHU="],
        ),
    ],
    x_zendesk_webhook_signature_timestamp: Annotated[
        str, Header(max_length=40, description="When it was signed", examples=["2026-11-30T08:00:00Z"])
    ],
) -> Noticed:
    """Look at a ticket that Zendesk says changed. Repeat: looked at once.

    Errors: 401 for a wrong or old signature; 400 for an unreadable body.
    """
    body = await request.body()
    message_id = check_zendesk(
        secrets_of(request.app.state.inbound, helpdesk, "zendesk"),
        timestamp=x_zendesk_webhook_signature_timestamp,
        signature=x_zendesk_webhook_signature,
        body=body,
        now=utc_now(),
    )
    number = _number(ZendeskNotice, body)
    return await _look(request, tenant=tenant, helpdesk=helpdesk, number=number, message_id=message_id)


@router.post("/{tenant}/{helpdesk}/zammad", responses=problems())
async def hear_zammad(
    request: Request,
    *,
    tenant: TenantName,
    helpdesk: HelpdeskName,
    x_hub_signature: Annotated[
        str,
        Header(
            max_length=200,
            description="`sha1=` and the HMAC-SHA1 of the body in hexadecimal digits",
            examples=["sha1=6dcd4ce23d88e2ee9568ba546c007c63d9131c1b"],
        ),
    ],
) -> Noticed:
    """Look at a ticket that Zammad says changed. Repeat: looked at once.

    Errors: 401 for a wrong signature; 400 for an unreadable body.
    """
    body = await request.body()
    secrets = secrets_of(request.app.state.inbound, helpdesk, "zammad")
    message_id = check_zammad(secrets, signature=x_hub_signature, body=body)
    number = _number(ZammadNotice, body)
    return await _look(request, tenant=tenant, helpdesk=helpdesk, number=number, message_id=message_id)


async def _look(request: Request, *, tenant: str, helpdesk: str, number: int, message_id: str) -> Noticed:
    database: Database = request.app.state.database

    def take(connection: Connection) -> bool:
        is_first = inbox.is_first(connection, tenant=tenant, helpdesk=helpdesk, message_id=message_id)
        return is_first and inbox.look_now(connection, helpdesk=helpdesk, external_id=str(number))

    # Helpdesks tell us of all their tickets. One that is not ours is no error: they would stop telling us.
    async with database.transaction(tenant) as connection:
        return Noticed(is_read=await connection.run_sync(take))


def _number(kind: type[ZendeskNotice | ZammadNotice], body: bytes) -> int:
    try:
        return kind.model_validate_json(body).ticket_id
    except ValidationError as unreadable:
        raise InvalidRequestError("The body names no ticket.") from unreadable
