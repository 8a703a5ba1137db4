"""Characters that no stored text may hold: control characters, and halves of pairs that UTF-8 does not have."""

import re
from collections.abc import Iterator
from typing import Final, cast

_NOT_STORED: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ud800-\udfff]")


def find_control(text: str) -> str | None:
    """Name the first such character of a text; None when there is none."""
    held = _NOT_STORED.search(text)
    return None if held is None else f"U+{ord(held.group()):04X}"


def texts_within(value: object) -> Iterator[str]:
    """Give every text of a JSON value, keys included, however deeply it nests."""
    waiting = [value]
    while waiting:
        held = waiting.pop()
        if isinstance(held, str):
            yield held
        elif isinstance(held, dict):
            waiting += [part for pair in cast("dict[str, object]", held).items() for part in pair]
        elif isinstance(held, list):
            waiting += cast("list[object]", held)
