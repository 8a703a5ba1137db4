"""Page through rows by the time-ordered id of the last one shown."""

from uuid import UUID

from contracts.errors import InvalidRequestError


def cursor_of(row_id: UUID) -> str:
    """Give the cursor that continues behind a row."""
    return row_id.hex


def read_cursor(cursor: str | None) -> UUID | None:
    """Read the id a cursor stands for. Errors: InvalidRequestError for anything we did not give out."""
    if cursor is None:
        return None
    try:
        row_id = UUID(hex=cursor)
    except ValueError as malformed:
        raise InvalidRequestError("cursor: not one of ours.") from malformed
    if row_id.hex != cursor:
        raise InvalidRequestError("cursor: not one of ours.")
    return row_id
