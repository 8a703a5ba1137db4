"""The two shapes every contract has: strict on the way out, tolerant on the way in.

Neither repeats what it was given in an error: that may be a customer's text, and errors end up in logs.
"""

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class _Body(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        hide_input_in_errors=True,
    )


class Outgoing(_Body):
    """A frozen body with camelCase names that refuses any field it does not declare."""

    model_config = ConfigDict(extra="forbid")


class Message(_Body):
    """A frozen body between services that keeps optional fields a newer sender may add."""

    model_config = ConfigDict(extra="allow")
