"""Forget what was said in attempts, when bff says that it was erased."""

from uuid import UUID

from sqlalchemy import Connection

from contracts.ids import MalformedIdError, parsed
from contracts.messages import CustomerErased, Envelope
from contracts.reading import UnreadableMessageError, read_data
from knowledge.answering.store import erase_customer
from knowledge.evaluation.store import erasing as golden_cases
from knowledge.review import store as review
from runtime.logging import get_logger

_log = get_logger("erasing")


def take_erasure(connection: Connection, envelope: Envelope) -> None:
    """Forget questions, answers, comments, notes and golden cases of attempts; that they were, and how they ended, stays.

    Repeat: nothing is left to forget. An attempt that still runs or has yet to begin, and a message that comes late, leave
    nothing behind.
    Errors: UnreadableMessageError, also when envelope and data name different tenants.
    """
    attempt_ids = _read(envelope)
    # Before the log, which has no row of an attempt that is just being opened.
    review.hold_off(connection, attempt_ids)
    erased = erase_customer(connection, tenant=envelope.tenant, attempt_ids=attempt_ids)
    review.erase(connection, attempt_ids=attempt_ids)
    cases = golden_cases.erase(connection, attempt_ids=attempt_ids)
    _log.info("attempts_erased", attempts=len(attempt_ids), in_the_log=erased, golden_cases=cases)


def _read(envelope: Envelope) -> tuple[UUID, ...]:
    said = read_data(CustomerErased, envelope)
    try:
        return tuple(parsed("att", each) for each in said.attempt_ids)
    except MalformedIdError as malformed:
        raise UnreadableMessageError("attemptIds: holds what is no id of an attempt") from malformed
