"""Give tests what a service receives messages with, and an ear for what it acknowledged."""

from runtime.database import SyncDatabase
from runtime.receiving import Receiver, Shelf


def receiver_of(database: SyncDatabase, shelf: Shelf, told: list[str] | None = None) -> Receiver:
    """Give what messages are received with; `told` hears the ids of those that were acknowledged."""
    heard = told if told is not None else []
    return Receiver(
        database=database, shelf=shelf, acknowledge=lambda envelopes: heard.extend(each.id for each in envelopes)
    )
