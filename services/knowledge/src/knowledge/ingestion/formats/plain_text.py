"""Reads plain text: paragraphs are parted by blank lines, and a list is recognised by its marks."""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Final

from knowledge.ingestion.formats.encodings import decode_text
from knowledge.ingestion.formats.markup import one_line, paragraph

_MARK: Final = re.compile(
    r"\s*(?:[-*+•·▪●]\s|\d{1,3}(?:\.\d{1,3})*[.)）]?\s|\d{1,3}、|[(（][\w]{1,4}[)）]|第[^\s]{1,7}[条章节])"
)
_BULLET: Final = re.compile(r"^[•·▪●+*]\s+")
_ITEM: Final = re.compile(r"(?:[-•·▪●+*]|\d{1,3}[.)])\s")
_HEADING: Final = re.compile(r"\s{0,3}#{1,6}\s")
_RULE: Final = re.compile(r"\s*(?:[-=*_~]\s*){3,}$")
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)

# A line this wide was wrapped by an editor; a shorter one ends where its author ended it. A wide character counts twice.
_WRAPPED_COLUMNS: Final = 55
_DOUBLE: Final = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")


def read_plain_text(content: bytes) -> str:
    """Give the text with its wrapped lines joined.

    Errors: UnreadableFileError when the encoding is unknown.
    """
    lines = _without_comments(decode_text(content)).replace("\f", "\n\n").split("\n")
    return "\n".join(_written(join_wrapped(lines)))


def _without_comments(text: str) -> str:
    """Take out what an author hid; what is never closed is text, and is not looked through again and again."""
    closed, mark, rest = text.rpartition("-->")
    return _COMMENT.sub("", closed + mark) + rest


def join_wrapped(lines: list[str]) -> Iterator[str]:
    """Join the lines that one paragraph, item or heading was wrapped into; a blank line parts and is kept as empty."""
    for has_text, group in groupby(lines, key=lambda line: bool(line.strip()) and not _RULE.match(line)):
        if not has_text:
            yield ""
            continue
        open_lines: list[str] = []
        for line in group:
            if open_lines and not _goes_on(open_lines[-1], line):
                yield _joined(open_lines)
                open_lines = []
            open_lines.append(line)
        yield _joined(open_lines)


def _joined(lines: list[str]) -> str:
    text = "\n".join(lines)
    return one_line(text) if _HEADING.match(text) else paragraph(text)


def _goes_on(before: str, line: str) -> bool:
    if _MARK.match(line) or _HEADING.match(line) or _HEADING.match(before):
        return False
    return len(before.rstrip()) + len(_DOUBLE.findall(before)) >= _WRAPPED_COLUMNS


def _written(lines: Iterator[str]) -> Iterator[str]:
    """Part what is not a list by a blank line, as Markdown does."""
    before = ""
    for line in lines:
        if before and line and not (_ITEM.match(before) and _ITEM.match(line)):
            yield ""
        yield _BULLET.sub("- ", line)
        before = line
