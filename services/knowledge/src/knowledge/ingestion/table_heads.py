"""Says the head of a long Markdown table again and again, so that no row stands in a passage without it."""

import re
from collections.abc import Iterator
from typing import Final

from knowledge.ingestion.formats.markup import ROWS_A_HEAD

# Spaces are never given back: a line of nothing else would be tried at each of them.
_RULE: Final = re.compile(r"\s{0,3}\|?\s*+:?-++:?\s*+(?:\|\s*+:?-++:?\s*+)*\|?\s*+$")
_FENCE: Final = re.compile(r"\s*(`{3,}|~{3,})")
_CELLS: Final = "|"


def with_table_heads(markdown: str) -> str:
    """Part long tables and begin each part with the head. Repeat: no further change."""
    return "\n".join(_parted(markdown.split("\n")))


def _parted(lines: list[str]) -> Iterator[str]:
    """Walk through the lines; `head` holds the two lines of a table's head while its rows follow."""
    head: tuple[str, str] | None = None
    fence = ""
    said = 0
    for place, line in enumerate(lines):
        fence = _fence_after(fence, line)
        if fence or _CELLS not in line:
            head = None
        elif head is None and _RULE.match(line) and place and _CELLS in lines[place - 1]:
            head, said = (lines[place - 1], line), 0
        elif head is not None:
            if said and said + len(line) > ROWS_A_HEAD:
                yield from ("", *head)
                said = 0
            said += len(line)
        yield line


def _fence_after(fence: str, line: str) -> str:
    """Give the fence that is open after a line; empty outside of code."""
    found = _FENCE.match(line)
    if found is None:
        return fence
    if not fence:
        return found.group(1)
    return "" if found.group(1).startswith(fence) else fence
