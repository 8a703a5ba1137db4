"""Reads a web page as its reader sees it: no scripts, no navigation, nothing hidden."""

import re
from collections.abc import Iterator
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from knowledge.ingestion.formats.encodings import decode_text
from knowledge.ingestion.formats.faults import UnreadableFileError
from knowledge.ingestion.formats.html_cost import refuse_costly
from knowledge.ingestion.formats.markup import seen
from knowledge.ingestion.formats.outline import Outline
from knowledge.ingestion.problems import ProblemCode

_DEEPEST: Final = 200
_MOST_CELLS: Final = 200_000
_WIDEST_SPAN: Final = 100
_TEXT: Final = "-text"
_NO_TEXT: Final = frozenset(
    (
        "head",
        "script",
        "style",
        "noscript",
        "template",
        "nav",
        "aside",
        "button",
        "select",
        "input",
        "textarea",
        "iframe",
        "object",
        "embed",
        "svg",
        "math",
        "canvas",
        "audio",
        "video",
        "dialog",
        "menu",
        "map",
        "label",
        "datalist",
        "progress",
        "meter",
        "del",
        "s",
        "strike",
    )
)
_FRAME: Final = frozenset(("header", "footer"))
_NO_FRAME: Final = frozenset(("main", "article", "section"))
_NO_ROLE: Final = frozenset(
    ("navigation", "banner", "contentinfo", "search", "complementary", "menu", "menubar", "dialog")
)
_NO_CLASS: Final = frozenset(
    (
        "nav",
        "navbar",
        "navheader",
        "navfooter",
        "navigation",
        "breadcrumb",
        "breadcrumbs",
        "toc",
        "sidebar",
        "menu",
        "skip-link",
        "visually-hidden",
    )
)
_INVISIBLE: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_INLINE: Final = frozenset(
    (
        "a",
        "abbr",
        "acronym",
        "b",
        "bdi",
        "bdo",
        "big",
        "cite",
        "code",
        "data",
        "dfn",
        "em",
        "font",
        "i",
        "ins",
        "kbd",
        "mark",
        "q",
        "rp",
        "rt",
        "ruby",
        "samp",
        "small",
        "span",
        "strong",
        "sub",
        "sup",
        "time",
        "tt",
        "u",
        "var",
        "wbr",
    )
)
_HEADING: Final = re.compile(r"h([1-6])$")


def read_html(content: bytes) -> str:
    """Give headings, paragraphs, lists, tables and code of a page.

    Errors: UnreadableFileError when the encoding is unknown, or elements are nested too deeply or have too many attributes.
    """
    text = decode_text(content)
    refuse_costly(text)
    page = LexborHTMLParser(text)
    root = page.css_first("main, [role=main]") or page.body
    outline = Outline()
    if root is not None:
        _Reader(outline).read(root, 0)
    return outline.written()


class _Reader:
    """Walks through a page; `_run` is the text since the last border between blocks."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._run: list[str] = []

    def read(self, node: LexborNode, depth: int) -> None:
        """Read what a node holds."""
        _check(depth)
        for child in _shown(node):
            self._element(child, child.tag or "", depth + 1)
        if node.tag not in _INLINE:
            self._end_run()

    def _element(self, node: LexborNode, tag: str, depth: int) -> None:
        if tag == _TEXT:
            self._run.append(seen(node.text_content or ""))
        elif tag in _INLINE:
            self.read(node, depth)
        else:
            self._end_run()
            self._block(node, tag, depth)

    def _block(self, node: LexborNode, tag: str, depth: int) -> None:
        if title := _HEADING.match(tag):
            self._outline.add_heading(int(title.group(1)), _text(node, depth))
        elif tag in ("ul", "ol"):
            self._list(node, depth, first=_number(node) if tag == "ol" else None)
        elif tag == "pre":
            self._outline.add_code(_text(node, depth))
        elif tag == "table" and (rows := _rows(node, depth)):
            self._outline.add_table(rows)
        else:
            self.read(node, depth)

    def _list(self, node: LexborNode, depth: int, *, first: int | None) -> None:
        for place, item in enumerate(child for child in _shown(node) if child.tag != _TEXT):
            self._outline.open_item("-" if first is None else f"{first + place}.")
            self.read(item, depth + 1)
            self._outline.close_item()

    def _end_run(self) -> None:
        self._outline.add_text("".join(self._run))
        self._run = []


def _shown(node: LexborNode) -> Iterator[LexborNode]:
    child = node.child
    while child is not None:
        if child.tag == _TEXT or not _is_hidden(child):
            yield child
        child = child.next


def _is_hidden(node: LexborNode) -> bool:
    tag = node.tag or ""
    if tag in _NO_TEXT or tag.startswith(("-", "!")):
        return True
    said = node.attributes
    if "hidden" in said or said.get("aria-hidden") == "true" or said.get("role") in _NO_ROLE:
        return True
    if _INVISIBLE.search(said.get("style") or "") or not _NO_CLASS.isdisjoint((said.get("class") or "").split()):
        return True
    return tag in _FRAME and not any(each.tag in _NO_FRAME for each in _above(node))


def _above(node: LexborNode) -> Iterator[LexborNode]:
    parent = node.parent
    while parent is not None:
        yield parent
        parent = parent.parent


def _text(node: LexborNode, depth: int) -> str:
    """Give all text of a node; blocks in it are parted by a line."""
    _check(depth)
    pieces: list[str] = []
    for child in _shown(node):
        if child.tag == _TEXT:
            pieces.append(child.text_content or "")
            continue
        inside = _text(child, depth + 1)
        pieces.append(inside if child.tag in _INLINE else f"\n{inside}\n")
    return "".join(pieces)


def _rows(node: LexborNode, depth: int) -> list[list[str]]:
    """Give the cells of a table of facts; nothing for one that only arranges the page."""
    if node.css_first("td table, td h1, td h2, td h3, td ul, td ol, td pre") is not None:
        return []
    rows: list[list[str]] = []
    below: dict[int, tuple[int, str]] = {}
    left = _MOST_CELLS
    for row in node.css("tr"):
        rows.append(_cells(row, below, depth))
        left -= len(rows[-1])
        if left < 0:
            raise UnreadableFileError(ProblemCode.TOO_LARGE, f"A table has more than {_MOST_CELLS:,} cells.")
    return rows if len(rows) > 1 and max(len(row) for row in rows) > 1 else []


def _cells(row: LexborNode, below: dict[int, tuple[int, str]], depth: int) -> list[str]:
    """Read a row; `below` holds, by column, what reaches down from rows before and for how many rows more."""
    cells: list[str] = []
    for cell in (each for each in _shown(row) if each.tag in ("td", "th")):
        _reach_down(cells, below)
        text = _text(cell, depth)
        more = _span(cell, "rowspan") - 1
        for place in range(_span(cell, "colspan")):
            if more:
                below[len(cells)] = (more, text)
            cells.append(text if place == 0 else "")
    _reach_down(cells, below)
    return cells


def _reach_down(cells: list[str], below: dict[int, tuple[int, str]]) -> None:
    while len(cells) in below:
        rows, text = below.pop(len(cells))
        if rows > 1:
            below[len(cells)] = (rows - 1, text)
        cells.append(text)


def _span(cell: LexborNode, name: str) -> int:
    said = cell.attributes.get(name) or ""
    return min(max(int(said[:4]), 1), _WIDEST_SPAN) if said.isascii() and said.isdigit() else 1


def _number(node: LexborNode) -> int:
    said = node.attributes.get("start") or ""
    return int(said) if said.isascii() and said.isdigit() and len(said) < 6 else 1  # noqa: PLR2004 - a list, not a year


def _check(depth: int) -> None:
    if depth > _DEEPEST:
        sentence = f"The page nests more than {_DEEPEST} elements into each other."
        raise UnreadableFileError(ProblemCode.DAMAGED, sentence)
