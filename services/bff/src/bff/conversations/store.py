"""Keep conversations. Every statement names the customer; the tenant is the transaction's."""

from uuid import UUID

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bff.conversations.conversation import Conversation
from bff.tables import CONVERSATION
from contracts.errors import NotFoundError


class ConversationStore:
    """Conversations of one customer, in one transaction."""

    def __init__(self, connection: AsyncConnection, *, tenant: str, customer: str) -> None:
        """Bind the transaction and whose conversations these are."""
        self._connection = connection
        self._tenant = tenant
        self._customer = customer

    async def add(self, conversation_id: UUID, *, channel: str) -> Conversation:
        """Open a conversation."""
        row = (
            await self._connection.execute(
                insert(CONVERSATION)
                .values(id=conversation_id, tenant=self._tenant, customer=self._customer, channel=channel)
                .returning(CONVERSATION.c.created_at)
            )
        ).one()
        return Conversation(
            conversation_id=conversation_id,
            tenant=self._tenant,
            customer=self._customer,
            channel=channel,
            created_at=row.created_at,
        )

    async def find(self, conversation_id: UUID) -> Conversation:
        """Give a conversation. Errors: NotFoundError when it is unknown or somebody else's."""
        columns = CONVERSATION.c
        row = (
            await self._connection.execute(
                select(columns.channel, columns.created_at).where(
                    columns.id == conversation_id, columns.customer == self._customer
                )
            )
        ).one_or_none()
        if row is None:
            raise NotFoundError
        return Conversation(
            conversation_id=conversation_id,
            tenant=self._tenant,
            customer=self._customer,
            channel=row.channel,
            created_at=row.created_at,
        )

    async def erase(self, conversation_id: UUID) -> None:
        """Delete a conversation with its attempts, feedback and escalations. Errors: as `find`."""
        columns = CONVERSATION.c
        erased = await self._connection.execute(
            delete(CONVERSATION).where(columns.id == conversation_id, columns.customer == self._customer)
        )
        if erased.rowcount == 0:
            raise NotFoundError
