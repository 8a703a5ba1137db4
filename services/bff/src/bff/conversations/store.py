"""Keep conversations. Every statement names the customer; the tenant is the transaction's."""

from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from bff.conversations.conversation import Conversation
from bff.tables import CONVERSATION
from contracts.errors import NotFoundError

KEY_HOURS: Final = 24


class ConversationStore:
    """Conversations of one customer, in one transaction."""

    def __init__(self, connection: AsyncConnection, *, tenant: str, customer: str) -> None:
        """Bind the transaction and whose conversations these are."""
        self._connection = connection
        self._tenant = tenant
        self._customer = customer

    async def add(self, conversation_id: UUID, *, channel: str, key: str | None) -> Conversation | None:
        """Open a conversation; None when its request key is taken."""
        row = (
            await self._connection.execute(
                insert(CONVERSATION)
                .values(
                    id=conversation_id, tenant=self._tenant, customer=self._customer, channel=channel, request_key=key
                )
                .on_conflict_do_nothing()
                .returning(CONVERSATION)
            )
        ).one_or_none()
        return None if row is None else _conversation(row)

    async def find_by_request(self, key: str) -> Conversation | None:
        """Give the conversation that a POST with this key opened; after 24 hours the key is free again."""
        columns = CONVERSATION.c
        mine = (columns.customer == self._customer) & (columns.request_key == key)
        is_old = columns.created_at < text(f"clock_timestamp() - interval '{KEY_HOURS} hours'")
        await self._connection.execute(update(CONVERSATION).where(mine, is_old).values(request_key=None))
        row = (await self._connection.execute(select(CONVERSATION).where(mine))).one_or_none()
        return None if row is None else _conversation(row)

    async def find(self, conversation_id: UUID) -> Conversation:
        """Give a conversation. Errors: NotFoundError when it is unknown or somebody else's."""
        columns = CONVERSATION.c
        mine = select(CONVERSATION).where(columns.id == conversation_id, columns.customer == self._customer)
        row = (await self._connection.execute(mine)).one_or_none()
        if row is None:
            raise NotFoundError
        return _conversation(row)

    async def list(self, *, above: UUID | None, limit: int) -> tuple[Conversation, ...]:
        """Give the customer's conversations in the order they were opened, from above one on."""
        columns = CONVERSATION.c
        mine = select(CONVERSATION).where(columns.customer == self._customer)
        if above is not None:
            mine = mine.where(columns.id > above)
        return tuple(
            _conversation(row) for row in await self._connection.execute(mine.order_by(columns.id).limit(limit))
        )


async def hold_conversation(connection: AsyncConnection, conversation_id: UUID) -> None:
    """Keep a conversation from being erased until the transaction ends; wait for an erasure that is under way."""
    held = select(CONVERSATION.c.id).where(CONVERSATION.c.id == conversation_id)
    await connection.execute(held.with_for_update(read=True, key_share=True))


def _conversation(row: Row[Any]) -> Conversation:  # a whole row of the table
    return Conversation(
        conversation_id=row.id,
        tenant=row.tenant,
        customer=row.customer,
        channel=row.channel,
        created_at=row.created_at,
    )
