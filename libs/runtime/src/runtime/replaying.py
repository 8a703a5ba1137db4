"""Send a message that was put aside through again."""

import asyncio
from uuid import UUID

from celery import Celery
from pydantic import ValidationError
from sqlalchemy.ext.asyncio import AsyncConnection

from contracts.errors import ConflictError, NotFoundError
from contracts.ids import MalformedIdError, parsed
from contracts.messages import Envelope
from runtime.parking import Parked, Parking
from runtime.queue import publish


class NotReplayableError(ConflictError):
    """What this message says was not kept, or it has no envelope, so nobody could receive it."""


async def send_again(
    connection: AsyncConnection, parking: Parking, parked_id: str, *, celery: Celery, queue: str
) -> Parked:
    """Take a parked message out of the list and hand it to its queue; it may be parked anew.

    Errors: NotFoundError, NotReplayableError, TryAgainError without a broker; then it stays where it was.
    """
    row = await connection.run_sync(parking.release, _known_id(parked_id))
    if row is None:
        raise NotFoundError
    # A commit that fails after this leaves the message parked and handled once more, as any repeat.
    await asyncio.to_thread(publish, celery, queue=queue, envelope=_envelope(row))
    return row


def _known_id(parked_id: str) -> UUID:
    try:
        return parsed("msg", parked_id)
    except MalformedIdError as malformed:
        raise NotFoundError from malformed


def _envelope(row: Parked) -> Envelope:
    try:
        return Envelope.model_validate_json(row.body or "")
    except ValidationError as unreadable:
        raise NotReplayableError from unreadable
