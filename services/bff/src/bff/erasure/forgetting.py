"""Say what is to be forgotten, to everybody who was told of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from contracts.ids import printed
from contracts.messages import KNOWLEDGE_QUEUE, TICKETING_QUEUE, CustomerErased

RECEIVERS: Final = (KNOWLEDGE_QUEUE, TICKETING_QUEUE)
# A message stays small, whatever a customer has said in years.
_ATTEMPTS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What was erased here: attempts whose event logs go as well. None were there when it is empty."""

    conversations: int
    attempt_ids: tuple[UUID, ...]


def messages_about(
    attempt_ids: tuple[UUID, ...], *, tenant: str, customer: str | None, erased_at: datetime
) -> Iterator[CustomerErased]:
    """Write what each receiver is told; nothing where nothing was asked."""
    for first in range(0, len(attempt_ids), _ATTEMPTS):
        batch = tuple(printed("att", each) for each in attempt_ids[first : first + _ATTEMPTS])
        yield CustomerErased(tenant=tenant, customer=customer, attempt_ids=batch, erased_at=erased_at)
