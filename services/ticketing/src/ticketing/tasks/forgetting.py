"""Forget what was put aside long ago."""

from runtime.database import SyncDatabase
from runtime.logging import get_logger
from ticketing.tickets.store import parking

_log = get_logger("forgetting")


def forget_parked(database: SyncDatabase, *, tenants: tuple[str, ...], days: int) -> None:
    """Forget each tenant's parked messages and failed deliveries that are older than so many days."""
    for tenant in tenants:
        with database.transaction(tenant) as connection:
            dropped = parking.drop_outlived(connection, days=days)
        if dropped:
            _log.info("parked_forgotten", tenant=tenant, messages=dropped)
