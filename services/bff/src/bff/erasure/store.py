"""Erase conversations with everything that was said in them. The tenant is the transaction's."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import delete, exists, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bff.erasure.forgetting import RECEIVERS, Forgotten, messages_about
from bff.tables import ATTEMPT, CONVERSATION, ESCALATION, OUTBOX, PARKED_MESSAGE
from contracts.ids import IdSource, printed
from contracts.messages import CUSTOMER_ERASED
from runtime import outbox

_CONVERSATION: Final = CONVERSATION.c
_ATTEMPT: Final = ATTEMPT.c
_OUTBOX: Final = OUTBOX.c
# A message that was handled is kept for a week, for whoever looks for what became of it.
_HANDLED: Final = text("clock_timestamp() - interval '7 days'")
_KEYS_END: Final = text("clock_timestamp() - interval '24 hours'")


async def find_own(
    connection: AsyncConnection, customer: str, *, only: UUID | None = None, limit: int
) -> tuple[UUID, ...]:
    """Give the oldest conversations of a customer, or only the one that is named."""
    own = select(_CONVERSATION.id).where(_CONVERSATION.customer == customer)
    if only is not None:
        own = own.where(_CONVERSATION.id == only)
    return tuple((await connection.execute(own.order_by(_CONVERSATION.created_at).limit(limit))).scalars())


async def find_outlived(connection: AsyncConnection, *, moment: datetime, days: int, limit: int) -> tuple[UUID, ...]:
    """Give conversations in which nothing was said for so many days, and that no person has in hand."""
    before = moment - timedelta(days=days)
    recent = exists().where(_ATTEMPT.conversation_id == _CONVERSATION.id, _ATTEMPT.created_at >= before)
    in_hand = exists().where(ESCALATION.c.conversation_id == _CONVERSATION.id, ESCALATION.c.status != "SOLVED")
    old = select(_CONVERSATION.id).where(_CONVERSATION.created_at < before, ~recent, ~in_hand)
    found = await connection.execute(
        old.order_by(_CONVERSATION.created_at).limit(limit).with_for_update(skip_locked=True)
    )
    return tuple(found.scalars())


async def erase_conversations(  # noqa: PLR0913 - who erases what, when, and under which ids
    connection: AsyncConnection,
    conversation_ids: Sequence[UUID],
    *,
    tenant: str,
    customer: str | None,
    moment: datetime,
    new_id: IdSource,
) -> Forgotten:
    """Erase conversations, the messages about them, and tell the other services to forget them too.

    Repeat: what is gone is not found again, and nobody is told twice.
    """
    # Whoever asks in one of them meanwhile waits, and then finds it gone.
    locked = select(_CONVERSATION.id).where(_CONVERSATION.id.in_(conversation_ids)).with_for_update()
    found = tuple((await connection.execute(locked)).scalars())
    asked = select(_ATTEMPT.id).where(_ATTEMPT.conversation_id.in_(found)).order_by(_ATTEMPT.created_at)
    attempt_ids = tuple((await connection.execute(asked)).scalars())
    printed_ids = [printed("att", each) for each in attempt_ids]
    await connection.execute(delete(CONVERSATION).where(_CONVERSATION.id.in_(found)))
    # Only now: the statement above has waited for judgements under way, which write messages too.
    # Last the outbox: a parked message that is being sent through again is waited for, and then found there.
    for told in (PARKED_MESSAGE, OUTBOX):
        await connection.execute(delete(told).where(told.c.attempt_id.in_(printed_ids)))
    for said in messages_about(attempt_ids, tenant=tenant, customer=customer, erased_at=moment):
        for queue in RECEIVERS:
            message = outbox.Message(
                message_id=new_id(),
                tenant=tenant,
                type=CUSTOMER_ERASED,
                queue=queue,
                subject=said.attempt_ids[0],
                attempt_id=said.attempt_ids[0],
                data=said.model_dump(mode="json"),
            )
            await outbox.write(connection, OUTBOX, message)
    return Forgotten(conversations=len(found), attempt_ids=attempt_ids)


async def drop_handled_messages(connection: AsyncConnection) -> int:
    """Delete messages that were handled a week ago, and say how many there were."""
    old = delete(OUTBOX).where(_OUTBOX.state == "ACKNOWLEDGED", _OUTBOX.acknowledged_at < _HANDLED)
    return (await connection.execute(old)).rowcount


async def drop_request_keys(connection: AsyncConnection) -> int:
    """Forget which requests made what, a day later; those of escalations are kept with them. Say how many there were."""
    asked = update(ATTEMPT).where(_ATTEMPT.request_key.is_not(None), _ATTEMPT.created_at < _KEYS_END)
    opened = update(CONVERSATION).where(_CONVERSATION.request_key.is_not(None), _CONVERSATION.created_at < _KEYS_END)
    attempts = await connection.execute(asked.values(request_key=None, request_hash=None))
    return attempts.rowcount + (await connection.execute(opened.values(request_key=None))).rowcount
