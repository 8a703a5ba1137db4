"""Describe ids in addresses of calls, in one form for all services."""

from typing import Annotated, Any, Final

from fastapi import Path

_EXAMPLE: Final = "01932f7a6b2c7d3e8f90a1b2c3d4e5f6"


def id_path(kind: str, thing: str, known: str, *, max_length: int | None = None) -> Any:  # as FastAPI's own Path
    """Describe the id of a thing in an address: its kind, such as `att`, and `known`, where a caller has it from."""
    whole = f"{thing}: `{kind}_` and 32 hexadecimal digits, {known}"
    return Path(max_length=max_length, description=whole, examples=[f"{kind}_{_EXAMPLE}"])


ParkedPath = Annotated[str, id_path("msg", "The parked message", "as they are listed")]
