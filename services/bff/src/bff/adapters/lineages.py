"""Count how questions that were asked again came to an end."""

from bff.adapters.clients import Clients
from bff.adapters.measures import count_lineage
from bff.attempts.store import end_lineages
from runtime.pulse import run_for_each


class Lineages:
    """The pulse duty that looks for retries after which nothing came."""

    def __init__(self, clients: Clients) -> None:
        """Act as the app role, one tenant after the other."""
        self._clients = clients

    async def run(self) -> int:
        """Count lineages that ended and give how many there were.

        Repeat: marking is a guarded UPDATE, so two pulses share the work. A crash after it loses counts, never doubles them.
        """
        return await run_for_each(self._clients.tenants.keys(), self._count_ended)

    async def _count_ended(self, tenant: str) -> int:
        async with self._clients.database.transaction(tenant) as connection:
            ended = await end_lineages(connection)
        for lineage in ended:
            count_lineage(lineage)
        return len(ended)
