"""Say what a person can type: no control characters but tab and line ends. The contracts hold the same expressions."""

import re
from typing import Final

_NO_CONTROL: Final = r"[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
TYPED: Final = rf"^{_NO_CONTROL}*$"
# At least one character that is not blank.
SAID: Final = rf"^{_NO_CONTROL}*[^\s\x00-\x1f\x7f-\x9f]{_NO_CONTROL}*$"

_TYPED: Final = re.compile(rf"{_NO_CONTROL}*")


def is_typed(text: str) -> bool:
    """Say whether a person could have typed a text."""
    return _TYPED.fullmatch(text) is not None
