"""Erase what has outlived a tenant's retention, and drop what was only kept for repeats."""

from typing import Final

from bff.adapters.clients import Clients
from bff.adapters.erasing import forget_events
from bff.erasure.store import drop_handled_messages, drop_request_keys, erase_conversations, find_outlived
from bff.inbox.store import PARKING
from contracts.reading import NO_TENANT
from runtime.logging import get_logger
from runtime.pulse import run_for_each

_BATCH: Final = 50

_log = get_logger("retention")


class Retention:
    """The pulse duty for what has grown old."""

    def __init__(self, clients: Clients) -> None:
        """Act as the app role, one tenant after the other."""
        self._clients = clients

    async def run(self) -> int:
        """Erase one batch of each tenant and give how many conversations there were.

        Repeat: conversations are locked or skipped, so two pulses share the work.
        """
        await self._clients.event_log.check()
        return await run_for_each(self._clients.tenants.keys(), self._erase_outlived)

    async def drop_repeats(self) -> int:
        """Drop keys of requests after a day, handled messages after a week, parked ones later. Gives 0: nothing is left."""
        # Messages whose tenant nobody could read are parked under a name of their own.
        return await run_for_each((*self._clients.tenants.keys(), NO_TENANT), self._drop_repeats)

    async def _drop_repeats(self, tenant: str) -> int:
        async with self._clients.database.transaction(tenant) as connection:
            keys = await drop_request_keys(connection)
            messages = await drop_handled_messages(connection)
            parked = await connection.run_sync(PARKING.drop, days=self._clients.settings.parked_days)
        if keys or messages or parked:
            _log.info("repeats_dropped", tenant=tenant, keys=keys, messages=messages, parked=parked)
        return 0

    async def _erase_outlived(self, tenant: str) -> int:
        clients = self._clients
        settings = clients.tenants.find(tenant)
        if settings is None or settings.retention_days is None:
            return 0
        moment = clients.clock()
        async with clients.database.transaction(tenant) as connection:
            old = await find_outlived(connection, moment=moment, days=settings.retention_days, limit=_BATCH)
            if not old:
                return 0
            forgotten = await erase_conversations(
                connection, old, tenant=tenant, customer=None, moment=moment, new_id=clients.new_id
            )
        await forget_events(clients, forgotten.attempt_ids)
        _log.info("conversations_outlived", tenant=tenant, conversations=forgotten.conversations)
        return forgotten.conversations
