"""One script for search: traditional characters read as simplified ones."""

from typing import Any, Final

from opencc import OpenCC


def _converter() -> Any:  # the package ships no types
    return OpenCC("t2s")  # pyright: ignore[reportUnknownVariableType]  # as above


_CONVERTER: Final = _converter()


def simplified(text: str) -> str:
    """Turn traditional characters into simplified ones and leave everything else."""
    return text if text.isascii() else str(_CONVERTER.convert(text))
