"""Keep escalations and the outbox they speak through. The tenant is the transaction's."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from bff.escalations.escalation import Escalation
from bff.escalations.opening import Wish
from bff.escalations.ticket import request_of
from bff.tables import ESCALATION, OUTBOX
from contracts.errors import NotFoundError
from contracts.ids import uuid7
from contracts.messages import (
    CREATE_TICKET,
    ESCALATION_REQUESTED,
    KNOWLEDGE_QUEUE,
    TICKETING_QUEUE,
    URGENT_TICKETING_QUEUE,
    CreateTicket,
    EscalationRequested,
    TicketChanged,
)
from contracts.reasons import EscalationStatus
from runtime import outbox

OUTBOX_TABLE: Final = OUTBOX
_WITH_PERSON: Final[tuple[EscalationStatus, ...]] = ("TICKET_CREATED", "IN_PROGRESS")


class EscalationStore:
    """Escalations of one customer, in one transaction."""

    def __init__(self, connection: AsyncConnection, *, tenant: str, customer: str) -> None:
        """Bind the transaction and whose escalations these are."""
        self._connection = connection
        self._tenant = tenant
        self._customer = customer

    async def add(self, wish: Wish, ticket: CreateTicket) -> Escalation | None:
        """Add an escalation with the messages that open its ticket and tell knowledge; None when there is one already.

        Errors: NotFoundError when the attempt was erased since it was found.
        """
        attempt = wish.attempt
        statement = (
            insert(ESCALATION)
            .values(
                id=wish.escalation_id,
                tenant=self._tenant,
                customer=self._customer,
                conversation_id=attempt.conversation_id,
                attempt_id=attempt.attempt_id,
                origin=wish.origin,
                note=wish.note,
                request_key=wish.request and wish.request.key,
                request_hash=wish.request and wish.request.content_hash,
            )
            .on_conflict_do_nothing()
            .returning(ESCALATION)
        )
        try:
            row = (await self._connection.execute(statement)).one_or_none()
        except IntegrityError as erased:
            raise NotFoundError from erased
        if row is None:
            return None
        await outbox.write(self._connection, OUTBOX, _order(ticket))
        await outbox.write(self._connection, OUTBOX, _news(request_of(ticket, origin=wish.origin)))
        return _escalation(row)

    async def find_by_request(self, key: str) -> Escalation | None:
        """Give the escalation that a POST with this key made, however long ago."""
        return await self._one(ESCALATION.c.request_key == key)

    async def find_open(self, conversation_id: UUID) -> Escalation | None:
        """Give the open escalation of a conversation."""
        columns = ESCALATION.c
        return await self._one((columns.conversation_id == conversation_id) & (columns.status != "SOLVED"))

    async def find(self, conversation_id: UUID, escalation_id: UUID) -> Escalation | None:
        """Give an escalation of a conversation."""
        columns = ESCALATION.c
        return await self._one((columns.conversation_id == conversation_id) & (columns.id == escalation_id))

    async def newest(self, conversation_id: UUID) -> Escalation | None:
        """Give the escalation of a conversation that was opened last."""
        columns = ESCALATION.c
        row = (
            await self._connection.execute(
                select(ESCALATION)
                .where(columns.conversation_id == conversation_id, columns.customer == self._customer)
                .order_by(columns.created_at.desc())
                .limit(1)
            )
        ).one_or_none()
        return None if row is None else _escalation(row)

    async def ticket_of_person(self, conversation_id: UUID) -> str | None:
        """Give the number of the ticket through which a person has a conversation, from its creation to its solution."""
        columns = ESCALATION.c
        found = await self._connection.execute(
            select(columns.ticket_number).where(
                columns.conversation_id == conversation_id,
                columns.customer == self._customer,
                columns.status.in_(_WITH_PERSON),
            )
        )
        return found.scalar_one_or_none()

    async def is_with_person(self, conversation_id: UUID) -> bool:
        """Say whether a person has a conversation, from the creation of its ticket to the solution."""
        columns = ESCALATION.c
        query = select(columns.id).where(
            columns.conversation_id == conversation_id,
            columns.customer == self._customer,
            columns.status.in_(_WITH_PERSON),
        )
        return (await self._connection.execute(query)).one_or_none() is not None

    async def find_all(self, conversation_id: UUID) -> tuple[Escalation, ...]:
        """Give all escalations of a conversation in the order they were opened."""
        columns = ESCALATION.c
        mine = select(ESCALATION).where(columns.conversation_id == conversation_id, columns.customer == self._customer)
        return tuple(_escalation(row) for row in await self._connection.execute(mine.order_by(columns.created_at)))

    async def _one(self, condition: Any) -> Escalation | None:  # a column expression
        statement = select(ESCALATION).where(condition, ESCALATION.c.customer == self._customer)
        row = (await self._connection.execute(statement)).one_or_none()
        return None if row is None else _escalation(row)


def apply_ticket_change(connection: Connection, escalation_id: UUID, change: TicketChanged) -> bool:
    """Take news from a ticket over; say whether they were news.

    Repeat: an older or equal sequence changes nothing, and nothing follows SOLVED.
    """
    columns = ESCALATION.c
    changed = connection.execute(
        update(ESCALATION)
        .where(columns.id == escalation_id, columns.sequence < change.sequence, columns.status != "SOLVED")
        .values(
            status=change.status,
            ticket_number=change.ticket_number or columns.ticket_number,
            solution=change.solution or columns.solution,
            sequence=change.sequence,
            changed_at=text("clock_timestamp()"),
        )
    )
    return changed.rowcount == 1


def acknowledge_message(connection: Connection, message_id: UUID) -> None:
    """Mark a message of ours as handled by its receiver."""
    outbox.acknowledge_row(connection, OUTBOX, message_id)


def acknowledge_messages(connection: Connection, message_ids: Sequence[UUID]) -> None:
    """Mark messages of ours as handled by their receiver."""
    outbox.acknowledge_rows(connection, OUTBOX, message_ids)


def _news(news: EscalationRequested) -> outbox.Message:
    return outbox.Message(
        message_id=uuid7(),
        tenant=news.tenant,
        type=ESCALATION_REQUESTED,
        queue=KNOWLEDGE_QUEUE,
        subject=news.escalation_id,
        attempt_id=news.attempt_id,
        data=news.model_dump(mode="json"),
    )


def _order(ticket: CreateTicket) -> outbox.Message:
    return outbox.Message(
        message_id=uuid7(),
        tenant=ticket.tenant,
        type=CREATE_TICKET,
        queue=URGENT_TICKETING_QUEUE if ticket.priority == "high" else TICKETING_QUEUE,
        subject=ticket.escalation_id,
        attempt_id=ticket.attempt_id,
        data=ticket.model_dump(mode="json"),
    )


def _escalation(row: Row[Any]) -> Escalation:  # a whole row of the table
    return Escalation(
        escalation_id=row.id,
        tenant=row.tenant,
        conversation_id=row.conversation_id,
        attempt_id=row.attempt_id,
        origin=row.origin,
        status=row.status,
        ticket_number=row.ticket_number,
        solution=row.solution,
        sequence=row.sequence,
        request_hash=row.request_hash,
        created_at=row.created_at,
        note=row.note,
    )
