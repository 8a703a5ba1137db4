"""Say what pydantic found wrong, for people who never heard of it."""

from typing import Any


def reason_of(fault: Any) -> str:  # pydantic's ErrorDetails is a loose TypedDict
    """Give the sentence of one fault of a ValidationError, without the two words put before those of our own checks."""
    return str(fault["msg"]).removeprefix("Value error, ")
