"""Let staff give a customer what is held about them, and forget it."""

from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from bff.api.edge import CurrentEdge
from bff.api.problems import problems
from bff.api.staff import Operator, typed
from bff.attempts.attempt import Attempt
from bff.attempts.store import AttemptStore
from bff.attempts.view import attempt_view
from bff.conversations.conversation import Conversation
from bff.conversations.store import ConversationStore
from bff.escalations.escalation import escalation_view
from bff.escalations.store import EscalationStore
from contracts import customer as bodies
from contracts.ids import printed
from contracts.messages import TicketContact
from contracts.model import Outgoing
from runtime.cursors import cursor_of, read_cursor
from runtime.logging import get_logger
from runtime.paging import NextCursor

router = APIRouter(prefix="/staff/customers", tags=["staff"])

_PAGE: Final = 20
_log = get_logger("customers")

# In a body or a query, never in a path: an issuer's subject may hold any sign.
CustomerName = Annotated[
    str,
    Query(
        min_length=1,
        max_length=200,
        description="The customer: the id of a guest, or the `sub` of the customer's token",
        examples=["cus_01932f7a6b2c7d3e8f90a1b2c3d4e5f6"],
    ),
]


class ErasureRequest(Outgoing):
    """Forget a customer."""

    customer: str = Field(min_length=1, max_length=200)


class Erasure(Outgoing):
    """What was erased at once; answer log, review and tickets follow within seconds."""

    conversations: int
    attempts: int


class ExportedAttempt(bodies.Attempt):
    """An attempt as its customer sees it, with what else is held about them beside it."""

    segments: tuple[str, ...]
    facts: dict[str, str]
    typed_facts: dict[str, str]
    contact: TicketContact | None


class ExportedEscalation(bodies.Escalation):
    """A wish for a person with the note it came with."""

    note: str | None


class ExportedConversation(Outgoing):
    """A conversation with all that was said in it."""

    conversation_id: str
    channel: str
    created_at: datetime
    attempts: tuple[ExportedAttempt, ...]
    escalations: tuple[ExportedEscalation, ...]


class ExportPage(Outgoing):
    """Conversations of a customer, the oldest first, and where the list goes on."""

    customer: str
    items: tuple[ExportedConversation, ...]
    next_cursor: str | None


@router.post("/erasures", operation_id="eraseCustomer", responses=problems(401, 403))
async def erase_customer(staff: Operator, body: ErasureRequest, edge: CurrentEdge) -> Erasure:
    """Erase everything a customer said: conversations, comments, notes, keys, messages, event logs; then elsewhere.

    Repeat: finds nothing more.
    """
    _log.info("erasure_requested", tenant=staff.tenant, actor=staff.actor)
    customer = typed(body.customer, field="customer")
    conversations, attempts = await edge.eraser.erase_customer(tenant=staff.tenant, customer=customer)
    return Erasure(conversations=conversations, attempts=attempts)


@router.get("/export", operation_id="exportCustomer", responses=problems(401, 403))
async def export_customer(
    staff: Operator, customer: CustomerName, edge: CurrentEdge, cursor: NextCursor = None
) -> ExportPage:
    """Give everything held about a customer, a page of conversations at a time."""
    _log.info("export_requested", tenant=staff.tenant, actor=staff.actor)
    async with edge.clients.database.transaction(staff.tenant) as connection:
        whose = typed(customer, field="customer")
        store = ConversationStore(connection, tenant=staff.tenant, customer=whose)
        found = await store.list(above=read_cursor(cursor), limit=_PAGE + 1)
        shown = found[:_PAGE]
        items = [await _exported(connection, staff.tenant, each) for each in shown]
    next_cursor = cursor_of(shown[-1].conversation_id) if len(found) > _PAGE else None
    return ExportPage(customer=customer, items=tuple(items), next_cursor=next_cursor)


async def _exported(connection: AsyncConnection, tenant: str, conversation: Conversation) -> ExportedConversation:
    whose = {"tenant": tenant, "customer": conversation.customer}
    store = AttemptStore(connection, **whose)
    attempts = await store.find_all(conversation.conversation_id)
    judgements = await store.judgements([attempt.attempt_id for attempt in attempts])
    escalations = await EscalationStore(connection, **whose).find_all(conversation.conversation_id)
    return ExportedConversation(
        conversation_id=printed("cnv", conversation.conversation_id),
        channel=conversation.channel,
        created_at=conversation.created_at,
        attempts=tuple(_attempt(each, judgements) for each in attempts),
        escalations=tuple(
            ExportedEscalation(**escalation_view(each).model_dump(by_alias=False), note=each.note)
            for each in escalations
        ),
    )


def _attempt(attempt: Attempt, judgements: dict[UUID, bodies.Feedback]) -> ExportedAttempt:
    view = attempt_view(attempt, judgements.get(attempt.attempt_id))
    return ExportedAttempt(
        **view.model_dump(by_alias=False),
        segments=attempt.segments,
        facts=attempt.facts,
        typed_facts=attempt.typed_facts,
        contact=attempt.contact,
    )
