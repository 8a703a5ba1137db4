"""Erase what has outlived a tenant's retention, and drop what was only kept for repeats."""

from typing import Final

from bff.adapters.clients import Clients
from bff.adapters.erasing import forget_events
from bff.erasure.store import drop_handled_messages, drop_request_keys, erase_conversations, find_outlived
from bff.inbox.store import drop_parked
from contracts.reading import NO_TENANT
from runtime.logging import get_logger

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
        erased = 0
        for tenant, settings in self._clients.tenants.all().items():
            if settings.retention_days is not None:
                erased += await self._erase_outlived(tenant, settings.retention_days)
        return erased

    async def drop_repeats(self) -> int:
        """Drop keys of requests after a day, handled messages after a week, parked ones later. Gives 0: nothing is left."""
        days = self._clients.settings.parked_days
        for tenant in self._clients.tenants.keys():  # noqa: SIM118 - a directory, not a mapping
            async with self._clients.database.transaction(tenant) as connection:
                keys = await drop_request_keys(connection)
                messages = await drop_handled_messages(connection)
                parked = await drop_parked(connection, days=days)
            if keys or messages or parked:
                _log.info("repeats_dropped", tenant=tenant, keys=keys, messages=messages, parked=parked)
        async with self._clients.database.transaction(NO_TENANT) as connection:
            await drop_parked(connection, days=days)
        return 0

    async def _erase_outlived(self, tenant: str, days: int) -> int:
        clients = self._clients
        moment = clients.clock()
        async with clients.database.transaction(tenant) as connection:
            old = await find_outlived(connection, moment=moment, days=days, limit=_BATCH)
            if not old:
                return 0
            forgotten = await erase_conversations(
                connection, old, tenant=tenant, customer=None, moment=moment, new_id=clients.new_id
            )
        await forget_events(clients, forgotten.attempt_ids)
        _log.info("conversations_outlived", tenant=tenant, conversations=forgotten.conversations)
        return forgotten.conversations
