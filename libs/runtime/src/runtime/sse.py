"""Server-sent events on the wire. Source: the HTML standard, section 9.2."""

from typing import Final

from pydantic import BaseModel

MEDIA_TYPE: Final = "text/event-stream"
HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def encode_event(event: BaseModel, *, number: int | None, retry_milliseconds: int | None = None) -> bytes:
    """Encode one event: its name, its number if it has one, its data as one JSON line without the name.

    `retry_milliseconds` says how long to wait before attaching again once the stream ends.
    """
    name = str(getattr(event, "event"))  # noqa: B009 - every event class declares it, BaseModel does not
    data = event.model_dump_json(exclude={"event"}).encode()
    return encode(name, data, number=number, retry_milliseconds=retry_milliseconds)


def encode(name: str, data: bytes, *, number: int | None, retry_milliseconds: int | None = None) -> bytes:
    """Encode one event whose data is written already: one line of JSON without the name."""
    head = f"id: {number}\n" if number is not None else ""
    if retry_milliseconds is not None:
        head += f"retry: {retry_milliseconds}\n"
    return b"%sevent: %s\ndata: %s\n\n" % (head.encode(), name.encode(), data)
