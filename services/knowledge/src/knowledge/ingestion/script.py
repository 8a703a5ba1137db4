"""One script for search: traditional characters read as simplified ones."""

from typing import Any, Final

from opencc import OpenCC

_CONVERTER: Final[Any] = OpenCC("t2s")  # the package ships no types


def simplified(text: str) -> str:
    """Turn traditional characters into simplified ones and leave everything else."""
    return str(_CONVERTER.convert(text))
