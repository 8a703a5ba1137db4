"""Erase conversations in Postgres, then their event logs."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from bff.adapters.clients import Clients
from bff.adapters.running_attempts import RunningAttempts
from bff.erasure.forgetting import Forgotten
from bff.erasure.store import erase_conversations, find_own
from contracts.errors import NotFoundError
from runtime.logging import get_logger

_BATCH: Final = 50

_log = get_logger("erasing")


class Eraser:
    """Erases for customers and staff of one process; `running` are the attempts it may have to stop."""

    def __init__(self, clients: Clients, running: RunningAttempts) -> None:
        """Use the clients of the process."""
        self._clients = clients
        self._running = running

    async def erase_conversation(self, *, tenant: str, customer: str, conversation_id: UUID) -> None:
        """Erase one conversation of a customer. Errors: NotFoundError; UnavailableError without Valkey, nothing done."""
        await self._clients.event_log.check()
        async with self._clients.database.transaction(tenant) as connection:
            own = await find_own(connection, customer, only=conversation_id, limit=1)
            if not own:
                raise NotFoundError
            forgotten = await erase_conversations(
                connection,
                own,
                tenant=tenant,
                customer=None,
                moment=self._clients.clock(),
                new_id=self._clients.new_id,
            )
        await self._forget(forgotten)

    async def erase_customer(self, *, tenant: str, customer: str) -> tuple[int, int]:
        """Erase everything of a customer and give how many conversations and attempts there were.

        Repeat: finds nothing more. It goes on in batches, each whole: what broke off is repeated.
        Errors: UnavailableError without Valkey.
        """
        await self._clients.event_log.check()
        conversations = attempts = 0
        while forgotten := await self._erase_batch(tenant, customer):
            await self._forget(forgotten)
            conversations += forgotten.conversations
            attempts += len(forgotten.attempt_ids)
        _log.info("customer_erased", tenant=tenant, conversations=conversations, attempts=attempts)
        return conversations, attempts

    async def _erase_batch(self, tenant: str, customer: str) -> Forgotten | None:
        clients = self._clients
        async with clients.database.transaction(tenant) as connection:
            own = await find_own(connection, customer, limit=_BATCH)
            if not own:
                return None
            return await erase_conversations(
                connection, own, tenant=tenant, customer=customer, moment=clients.clock(), new_id=clients.new_id
            )

    async def _forget(self, forgotten: Forgotten) -> None:
        for attempt_id in forgotten.attempt_ids:
            self._running.stop(attempt_id)
        await forget_events(self._clients, forgotten.attempt_ids)


async def forget_events(clients: Clients, attempt_ids: Sequence[UUID]) -> None:
    """Delete the event logs of erased attempts. Errors: UnavailableError; then they end by themselves in an hour."""
    if attempt_ids:
        await clients.event_log.forget(attempt_ids)
