"""What a reader makes of a file."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PagedText:
    """The text of a file with the marks of Markdown.

    `page_lines` says on which line of the text each page begins; empty when the file has no pages. A page that begins
    inside a paragraph begins on the line after it.
    """

    text: str
    page_lines: tuple[int, ...] = ()
