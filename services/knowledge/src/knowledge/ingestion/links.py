"""Takes links and images out of Markdown and leaves their words, in one walk over the brackets."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

_BRACKET: Final = re.compile(r"[\[\]()]")
_OPENED_BY: Final = {"]": "[", ")": "("}


def without_links(markdown: str) -> str:
    """Leave the words of a link or an image in its place; other brackets stay.

    A link is `[words](target)` or `[words][name]`, nothing between them; its words may hold brackets and links.
    """
    brackets = [found.start() for found in _BRACKET.finditer(markdown)]
    ends = _ends(markdown, brackets)
    pieces: list[str] = []
    targets: dict[int, int] = {}
    done = 0
    for at in brackets:
        if at < done:
            continue
        if at in targets:
            pieces.append(markdown[done:at])
            done = targets[at] + 1
        elif (target := _target(markdown, ends, at)) is not None:
            is_image = markdown[max(at - 1, done) : at] == "!"
            pieces += (markdown[done : at - is_image], " " * is_image)
            targets[ends[at]] = target
            done = at + 1
    return "".join((*pieces, markdown[done:]))


def _ends(markdown: str, brackets: Sequence[int]) -> dict[int, int]:
    """Give the place of the closing bracket for each opening one that has one."""
    open_: dict[str, list[int]] = {"[": [], "(": []}
    ends: dict[int, int] = {}
    for at in brackets:
        opener = _OPENED_BY.get(markdown[at])
        if opener is None:
            open_[markdown[at]].append(at)
        elif open_[opener]:
            ends[open_[opener].pop()] = at
    return ends


def _target(markdown: str, ends: Mapping[int, int], at: int) -> int | None:
    """Give the end of the target of the link whose words begin here; None when none does."""
    if markdown[at] != "[" or at not in ends:
        return None
    return ends.get(ends[at] + 1)
