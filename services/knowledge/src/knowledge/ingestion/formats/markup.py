"""Writes what a format says with the marks of Markdown, so that one splitter finds headings, items and rows of all."""

import re
from typing import Final

_UNSEEN: Final = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u200b\u2060\ufeff\ud800-\udfff]")
_WIDE: Final = r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]"
_WRAPPED_WIDE: Final = re.compile(rf"(?<={_WIDE})[ \t]*\n\s*(?={_WIDE})")
_SPACE: Final = re.compile(r"\s+")
# A paragraph that begins so would be taken for the address of a link, and vanish.
_LINK_ADDRESS: Final = re.compile(r"\[(?=[^\]]*\]:)")


def one_line(text: str) -> str:
    """Join the lines of a text: a wrapped Chinese line without a space, and without characters that nobody sees."""
    joined = _WRAPPED_WIDE.sub("", _UNSEEN.sub("", text).strip())
    return _SPACE.sub(" ", joined).strip()


def paragraph(text: str) -> str:
    """Write a paragraph on one line. Shapes: empty when there is nothing to read."""
    line = one_line(text)
    return f"\\{line}" if _LINK_ADDRESS.match(line) else line
