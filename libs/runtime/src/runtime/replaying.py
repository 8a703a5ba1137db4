"""Send a message that was put aside through again: it leaves the list and enters the outbox in one transaction."""

import json
from typing import Final
from uuid import UUID

from sqlalchemy import Table
from sqlalchemy.ext.asyncio import AsyncConnection

from contracts.errors import ConflictError, NotFoundError
from contracts.ids import IdSource, MalformedIdError, parsed
from contracts.messages import ACKNOWLEDGED, Envelope
from contracts.reading import UnreadableMessageError, is_storable, read_envelope
from runtime import outbox
from runtime.parking import Parked, Parking

# Nobody acknowledges an acknowledgement, so an outbox would repeat it for ever; the message it is about is repeated anyway.
_NEVER: Final = frozenset({ACKNOWLEDGED})


class NotReplayableError(ConflictError):
    """What this message says was not kept, it has no envelope, or it is an acknowledgement, so it is not sent again."""


async def send_again(  # noqa: PLR0913 - what is taken from where, and where it goes
    connection: AsyncConnection, parking: Parking, parked_id: str, *, table: Table, queue: str, new_id: IdSource
) -> Parked:
    """Take a parked message out of the list and write it into an outbox, from where it goes to its queue; it may be parked anew.

    It goes under an id of its own. Repeat: who comes second finds it gone. Errors: NotFoundError, NotReplayableError.
    """
    row = await connection.run_sync(parking.release, _known_id(parked_id))
    if row is None:
        raise NotFoundError
    said = _envelope(row)
    message = outbox.Message(
        message_id=new_id(),
        tenant=said.tenant,
        type=said.type,
        queue=queue,
        subject=said.subject,
        attempt_id=said.attemptid,
        data=said.data,
    )
    await outbox.write(connection, table, message)
    return row


def _known_id(parked_id: str) -> UUID:
    try:
        return parsed("msg", parked_id)
    except MalformedIdError as malformed:
        raise NotFoundError from malformed


def _envelope(row: Parked) -> Envelope:
    if row.type in _NEVER or not row.body:
        raise NotReplayableError
    try:
        said = read_envelope(json.loads(row.body))
    except UnreadableMessageError as unreadable:
        raise NotReplayableError from unreadable
    if not is_storable(said.model_dump(mode="json")):
        raise NotReplayableError
    return said
