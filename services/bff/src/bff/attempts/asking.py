"""Open an attempt: the checks of a question, one attempt at a time, and a repeat that finds the first row."""

from dataclasses import dataclass
from datetime import date
from typing import Protocol
from uuid import UUID

from bff.attempts.attempt import Attempt, NewAttempt, RequestKey
from bff.conversations.conversation import ConversationWithPersonError
from contracts.errors import ConflictError, InvalidRequestError, LimitedError, UnavailableError
from contracts.reasons import Language


class AttemptPendingError(ConflictError):
    """This conversation still waits for an answer."""

    code = "ATTEMPT_PENDING"


class IdempotencyConflictError(ConflictError):
    """This Idempotency-Key was used for another request."""

    code = "IDEMPOTENCY_CONFLICT"


class Ledger(Protocol):
    """The attempts of one customer."""

    async def find_by_request(self, request: RequestKey) -> Attempt | None:
        """Give the attempt that a POST with this key made in the last 24 hours."""
        ...

    async def count_running(self) -> int:
        """Count the customer's attempts that are PENDING."""
        ...

    async def add(self, new: NewAttempt) -> Attempt | None:
        """Add a row; None when its key is taken or the conversation has a PENDING attempt."""
        ...


class Persons(Protocol):
    """Which conversations a person has."""

    async def ticket_of_person(self, conversation_id: UUID) -> str | None:
        """Give the number of the ticket through which a person has a conversation."""
        ...


@dataclass(frozen=True, slots=True)
class Opened:
    """An attempt that was opened now, or by an earlier request with the same key."""

    attempt: Attempt
    is_repeat: bool


async def open_attempt(
    new: NewAttempt, *, ledger: Ledger, persons: Persons, has_room: bool, running_limit: int
) -> Opened:
    """Open an attempt, or give the one that the same request opened before.

    Errors: IdempotencyConflictError, ConversationWithPersonError, AttemptPendingError; UnavailableError and LimitedError
    when too much runs already, before anything is stored.
    """
    if repeat := await _repeat(new, ledger):
        return repeat
    if not has_room:
        raise UnavailableError
    if ticket_number := await persons.ticket_of_person(new.conversation_id):
        raise ConversationWithPersonError(ticket_number)
    if await ledger.count_running() >= running_limit:
        raise LimitedError
    if attempt := await ledger.add(new):
        return Opened(attempt, is_repeat=False)
    if repeat := await _repeat(new, ledger):
        return repeat
    raise AttemptPendingError


async def _repeat(new: NewAttempt, ledger: Ledger) -> Opened | None:
    if new.request is None:
        return None
    attempt = await ledger.find_by_request(new.request)
    if attempt is None:
        return None
    if attempt.request_hash != new.request.content_hash:
        raise IdempotencyConflictError
    return Opened(attempt, is_repeat=True)


def check_as_of(as_of: date | None, *, today: date, past_dates: bool) -> date:
    """Give the day that is asked about, by default today. Errors: InvalidRequestError for any other day not allowed."""
    if as_of is None:
        return today
    if as_of > today:
        raise InvalidRequestError("asOf: must not be later than today.")
    if as_of < today and not past_dates:
        raise InvalidRequestError("asOf: earlier days cannot be asked about here.")
    return as_of


def detected_language(text: str) -> Language:
    """Guess the language of a question from its script: any Han character makes it Chinese."""
    return "zh" if any("\u3400" <= sign <= "\u9fff" or "\U00020000" <= sign <= "\U0003ffff" for sign in text) else "en"
