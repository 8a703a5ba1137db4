"""The blocks of a Markdown source with their exact places: headings, and what stands between them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from knowledge.ingestion.markdown import plain

# Front matter is gone, comments are gone; raw HTML stays as text so that its words can be found.
# What stands inside a line is not looked at here.
_PARSER: Final = MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"])
_LONGEST_ITEM: Final = 700
# Every passage below a heading carries it; one that is longer is a whole text behind a mark.
_LONGEST_HEADING: Final = 1_000
_MARKUP_TITLE: Final = re.compile(r"\{[#:][^}]*\}")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading as a reader sees it."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of the source. A `whole` one (list item, table row, code) is not cut at its sentences.

    `opens` is false inside a list or table: its items and rows rather stay together. `list_at` is where the list of an
    item begins. One that `stays` is a row whose head stands before it.
    """

    start: int
    end: int
    whole: bool
    opens: bool = True
    list_at: int | None = None
    stays: bool = False


class _Lines:
    """Where each line of a source begins."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._starts = [0]
        for line in source.split("\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)

    def block(self, first: int, after: int, *, whole: bool) -> Block:
        start = self._starts[first]
        end = min(self._starts[after], len(self._source))
        text = self._source[start:end]
        return Block(start + len(text) - len(text.lstrip()), start + len(text.rstrip()), whole)

    def before(self, start: int, line: int) -> Block:
        """Give what stands from a place to the start of a line."""
        text = self._source[start : self._starts[line]]
        return Block(start, start + len(text.rstrip()), whole=False)

    def after(self, line: int, end: int) -> Block:
        """Give what stands from the start of a line to a place; it may be nothing."""
        text = self._source[self._starts[line] : end]
        return Block(end - len(text.lstrip()), end, whole=False)


def read_blocks(source: str) -> Iterator[Heading | Block]:
    """Read a source in order. Errors: none; any text is Markdown."""
    lines = _Lines(source)
    tokens = _PARSER.parse(source)
    at = 0
    while at < len(tokens):
        end = _closing(tokens, at)
        yield from _read(tokens[at : end + 1], lines)
        at = end + 1


def _closing(tokens: list[Token], at: int) -> int:
    """Find the token that closes the one at a place; itself when it stands alone."""
    depth = 0
    for place in range(at, len(tokens)):
        depth += tokens[place].nesting
        if depth == 0:
            return place
    return len(tokens) - 1


def _read(tokens: list[Token], lines: _Lines) -> Iterator[Heading | Block]:
    head = tokens[0]
    if head.type == "heading_open":
        yield Heading(int(head.tag[1]), plain(_MARKUP_TITLE.sub("", tokens[1].content[:_LONGEST_HEADING])))
    elif head.type in ("bullet_list_open", "ordered_list_open"):
        yield from _items(tokens, lines)
    elif head.type == "table_open":
        yield from _rows(tokens, lines)
    elif head.map and head.type != "hr":
        yield lines.block(*head.map, whole=head.type in ("fence", "code_block"))


def _items(tokens: list[Token], lines: _Lines) -> Iterator[Block]:
    """Read a list item by item; an item too long for one unit is read as its own lines and the lists in it."""
    at = 1
    first: int | None = None
    while at < len(tokens) - 1:
        end = _closing(tokens, at)
        item = lines.block(*(tokens[at].map or [0, 0]), whole=True)
        first = item.start if first is None else first
        item = replace(item, opens=at == 1, list_at=first)
        if item.end - item.start <= _LONGEST_ITEM:
            yield item
        else:
            yield from _long_item(item, tokens[at + 1 : end], lines)
        at = end + 1


def _long_item(item: Block, inside: list[Token], lines: _Lines) -> Iterator[Block]:
    nested = next((token for token in inside if token.type in ("bullet_list_open", "ordered_list_open")), None)
    if nested is None or nested.map is None:
        yield replace(item, whole=False, opens=True)
        return
    place = inside.index(nested)
    end = _closing(inside, place)
    yield replace(lines.before(item.start, nested.map[0]), list_at=item.list_at)
    yield from _items(inside[place : end + 1], lines)
    rest = lines.after(nested.map[1], item.end)
    if rest.end > rest.start:
        yield rest


def _rows(tokens: list[Token], lines: _Lines) -> Iterator[Block]:
    """Read a table row by row; the first row goes with the heads of the columns."""
    rows = [token.map for token in tokens if token.type == "tr_open" and token.map]
    if len(rows) > 1:
        rows = [[rows[0][0], rows[1][1]], *rows[2:]]
    for place, row in enumerate(rows):
        yield replace(lines.block(*row, whole=True), opens=place == 0, stays=place > 0)
