"""Open an escalation: one per conversation at a time, whoever wishes it and however often."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol
from uuid import UUID

from bff.attempts.asking import IdempotencyConflictError
from bff.attempts.attempt import Attempt, RequestKey
from bff.escalations.escalation import Escalation, Origin
from bff.escalations.ticket import Story, ticket_of
from contracts.errors import ConflictError
from contracts.messages import CreateTicket

# The open escalation that made `add` give way can be solved before it is read; then the wish is a new one.
_TRIES: Final = 3


Tell = Callable[[Attempt], Awaitable[Story]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """The wish for a person: by a click with its request key, or by rule without one."""

    escalation_id: UUID
    origin: Origin
    attempt: Attempt
    note: str | None
    request: RequestKey | None
    wished_at: datetime


class EscalationLedger(Protocol):
    """The escalations of one customer."""

    async def find_by_request(self, key: str) -> Escalation | None:
        """Give the escalation that a POST with this key made, however long ago."""
        ...

    async def find_open(self, conversation_id: UUID) -> Escalation | None:
        """Give the open escalation of a conversation."""
        ...

    async def add(self, wish: Wish, ticket: CreateTicket) -> Escalation | None:
        """Add an escalation and the message that opens its ticket; None when there is one already."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Escalated:
    """The escalation a wish came to: a new one, the one this very request opened before, or another's."""

    escalation: Escalation
    is_new: bool = False
    is_repeat: bool = False


async def escalate(wish: Wish, *, ledger: EscalationLedger, tell: Tell) -> Escalated:
    """Open an escalation, or give the one that is open already; `tell` collects the story only when it is needed.

    Repeat: any further wish, with whatever key, for any attempt of the conversation, gives the open one.
    Errors: IdempotencyConflictError when the key was used for another request; as `ticket_of`.
    """
    if existing := await _existing(wish, ledger):
        return existing
    story = await tell(wish.attempt)
    ticket = ticket_of(story, escalation_id=wish.escalation_id, note=wish.note, requested_at=wish.wished_at)
    for _ in range(_TRIES):
        if added := await ledger.add(wish, ticket):
            return Escalated(escalation=added, is_new=True)
        if existing := await _existing(wish, ledger):
            return existing
    raise ConflictError


async def _existing(wish: Wish, ledger: EscalationLedger) -> Escalated | None:
    if repeat := await _repeat(wish, ledger):
        return Escalated(escalation=repeat, is_repeat=True)
    found = await ledger.find_open(wish.attempt.conversation_id)
    return None if found is None else Escalated(escalation=found)


async def _repeat(wish: Wish, ledger: EscalationLedger) -> Escalation | None:
    if wish.request is None:
        return None
    found = await ledger.find_by_request(wish.request.key)
    if found is not None and found.request_hash != wish.request.content_hash:
        raise IdempotencyConflictError
    return found
