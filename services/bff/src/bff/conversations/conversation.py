"""Hold what a conversation is: the frame that keeps one customer's attempts together."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from contracts.errors import ConflictError


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A conversation of one customer of one tenant."""

    conversation_id: UUID
    tenant: str
    customer: str
    channel: str
    created_at: datetime


class ConversationWithPersonError(ConflictError):
    """A person has this conversation now; the answer comes from them."""

    code = "CONVERSATION_WITH_PERSON"

    def __init__(self, ticket_number: str | None) -> None:
        """Name the ticket, so that the customer can refer to it."""
        super().__init__()
        self.ticket_number = ticket_number
