"""Open a conversation, or find the one that the same request opened before."""

from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from bff.conversations.conversation import Conversation
from contracts.errors import ConflictError


class Conversations(Protocol):
    """The conversations of one customer."""

    async def add(self, conversation_id: UUID, *, channel: str, key: str | None) -> Conversation | None:
        """Open a conversation; None when its request key is taken."""
        ...

    async def find_by_request(self, key: str) -> Conversation | None:
        """Give the conversation that a POST with this key opened in the last 24 hours."""
        ...


@dataclass(frozen=True, slots=True)
class OpenedConversation:
    """A conversation that was opened now, or by an earlier request with the same key."""

    conversation: Conversation
    is_repeat: bool


async def open_conversation(
    conversation_id: UUID, *, channel: str, key: str | None, ledger: Conversations
) -> OpenedConversation:
    """Open a conversation. Repeat: the same key gives the same conversation, also of a hundred requests at once."""
    if key is not None and (found := await ledger.find_by_request(key)):
        return OpenedConversation(found, is_repeat=True)
    if added := await ledger.add(conversation_id, channel=channel, key=key):
        return OpenedConversation(added, is_repeat=False)
    if key is not None and (found := await ledger.find_by_request(key)):
        return OpenedConversation(found, is_repeat=True)
    raise ConflictError
