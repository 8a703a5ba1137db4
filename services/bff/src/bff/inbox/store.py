"""Keep what was put aside for a person, and how often handling a message failed. The tenant is the transaction's."""

from typing import Final

from sqlalchemy import Connection, select

from bff.tables import ATTEMPT, FAILED_DELIVERY, PARKED_MESSAGE
from contracts.ids import MalformedIdError, parsed
from runtime.parking import ParkedMessage, Parking


def _has_its_attempt(connection: Connection, message: ParkedMessage) -> bool:
    """Say whether the attempt of a message is there; its erasure waits, and then finds the message."""
    try:
        attempt_id = parsed("att", message.attempt_id or "")
    except MalformedIdError:
        return False
    held = select(ATTEMPT.c.id).where(ATTEMPT.c.id == attempt_id).with_for_update(read=True, key_share=True)
    return connection.execute(held).one_or_none() is not None


# What an agent wrote to a customer who was erased must not come back this way.
PARKING: Final = Parking(parked=PARKED_MESSAGE, failed=FAILED_DELIVERY, keeps_body=_has_its_attempt)
