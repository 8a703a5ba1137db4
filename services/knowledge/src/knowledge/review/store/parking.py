"""Keep what was put aside for a person, and how often handling a message failed. The tenant is the transaction's."""

from typing import Final

from knowledge.tables.inbox import failed_delivery, parked_message
from runtime.parking import Parking

PARKING: Final = Parking(parked=parked_message, failed=failed_delivery)
