"""Say what a text from outside may hold: anything that Postgres can keep."""

from typing import Annotated, Final

from pydantic import StringConstraints

_STORABLE: Final = r"^[^\x00]*$"

ShortText = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=_STORABLE)]
Solution = Annotated[str, StringConstraints(max_length=4_000, pattern=_STORABLE)]
