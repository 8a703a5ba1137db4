"""Count how questions that were asked again came to an end."""

from bff.adapters.clients import Clients
from bff.adapters.measures import count_lineage
from bff.attempts.store import end_lineages


class Lineages:
    """The pulse duty that looks for retries after which nothing came."""

    def __init__(self, clients: Clients) -> None:
        """Act as the app role, one tenant after the other."""
        self._clients = clients

    async def run(self) -> int:
        """Count lineages that ended and give how many there were.

        Repeat: marking is a guarded UPDATE, so two pulses share the work. A crash after it loses counts, never doubles them.
        """
        count = 0
        for tenant in self._clients.tenants.all():
            async with self._clients.database.transaction(tenant) as connection:
                ended = await end_lineages(connection)
            for lineage in ended:
                count_lineage(lineage)
            count += len(ended)
        return count
