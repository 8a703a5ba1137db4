"""Collects what a document holds in its order, lists with their depth, and writes it down."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

from knowledge.ingestion.formats import markup
from knowledge.ingestion.formats.paged_text import PagedText

_LONGEST_CODE: Final = 700
_FENCE: Final = "~~~~"


@dataclass(slots=True)
class Outline:
    """What was read so far. Texts between `open_item` and `close_item` belong to that item."""

    _parts: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    _pages: list[int] = field(default_factory=list[int])
    _page: int = 1
    _indents: list[str] = field(default_factory=list[str])
    _mark: str = ""

    def open_page(self, number: int) -> None:
        """Say on which page what is added next begins."""
        self._page = number

    def open_item(self, mark: str) -> None:
        """Begin a list item inside those that are open; `mark` is `-` or a number with its point."""
        self._indents.append(" " * (len(mark) + 1))
        self._mark = f"{mark} "

    def close_item(self) -> None:
        """End the innermost open item."""
        self._indents.pop()
        self._mark = ""

    def add_heading(self, level: int, text: str) -> None:
        """Add a heading; inside an item it is a text of it."""
        if self._indents:
            self.add_text(text)
        else:
            self._add(markup.heading(level, text), is_item=False)

    def add_text(self, text: str) -> None:
        """Add a paragraph: the first one of an open item carries its mark."""
        line = markup.paragraph(text)
        if not line:
            return
        is_item = bool(self._mark)
        indent = "".join(self._indents[:-1]) + self._mark if is_item else "".join(self._indents)
        self._mark = ""
        self._add(indent + line, is_item=is_item)

    def add_table(self, rows: Sequence[Sequence[str]]) -> None:
        """Add a table, the first row being its head."""
        self._add_lines(markup.table(rows))

    def add_code(self, text: str) -> None:
        """Add lines whose breaks and spaces say something. Code is never cut by the splitter, so long code is parted."""
        part: list[str] = []
        for line in text.strip("\n").split("\n"):
            if part and sum(map(len, part)) + len(line) > _LONGEST_CODE:
                self._add_fenced(part)
                part = []
            part.append(markup.seen(line).rstrip())
        self._add_fenced(part)

    def written(self) -> str:
        """Give everything. Items of a list follow each other without a blank line."""
        return "".join(self._pieces())

    def paged(self) -> PagedText:
        """Give everything with the lines on which pages begin."""
        pieces = list(self._pieces())
        lines = [1, *accumulate((piece.count("\n") for piece in pieces), initial=1)]
        # Every part but the first has a joint before it, which ends on the part's first line.
        firsts = lines[1::2]
        page_lines: list[int] = []
        for line, page in zip(firsts, self._pages, strict=True):
            page_lines += [line] * (page - len(page_lines))
        return PagedText("".join(pieces), tuple(page_lines))

    def _pieces(self) -> Iterator[str]:
        """Give texts and what stands between them, in turn."""
        was_item = False
        for place, (text, is_item) in enumerate(self._parts):
            if place:
                yield "\n" if is_item and was_item else "\n\n"
            yield text
            was_item = is_item

    def _add_fenced(self, lines: list[str]) -> None:
        if any(line.strip() for line in lines):
            self._add_lines("\n".join((_FENCE, *lines, _FENCE)))

    def _add_lines(self, text: str) -> None:
        indent = "".join(self._indents)
        self._mark = ""
        self._add("\n".join(indent + line for line in text.split("\n")) if text else "", is_item=False)

    def _add(self, text: str, *, is_item: bool) -> None:
        if text:
            self._parts.append((text, is_item))
            self._pages.append(self._page)
