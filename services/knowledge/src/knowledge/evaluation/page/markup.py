"""Writes HTML and SVG in which every text is escaped unless it was written here."""

from html import escape
from typing import Final

_VOID: Final = frozenset({"meta", "br"})


class Markup(str):
    """A text that is markup already."""

    __slots__ = ()


def element(name: str, /, *children: str | Markup, **attributes: str | float) -> Markup:
    """Write an element. A trailing underscore of an attribute is dropped, an inner one becomes a hyphen."""
    written = "".join(f' {_name(key)}="{escape(_spelled(value))}"' for key, value in attributes.items())
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{joined(*children)}</{name}>")


def joined(*children: str | Markup) -> Markup:
    """Write texts and elements after each other."""
    return Markup("".join(child if isinstance(child, Markup) else escape(child) for child in children))


def foreign(text: str) -> Markup:
    """Write a text of a customer or a document, so that its direction stays its own."""
    return element("bdi", text, dir="auto")


def table(head: tuple[str, ...], rows: list[tuple[str | Markup, ...]]) -> Markup:
    """Write a table whose first column names the row."""
    cells = joined(*(element("th", each, scope="col") for each in head))
    return element("table", element("thead", element("tr", cells)), element("tbody", *(_row(row) for row in rows)))


def _row(row: tuple[str | Markup, ...]) -> Markup:
    return element("tr", element("th", row[0], scope="row"), *(element("td", each) for each in row[1:]))


def _name(key: str) -> str:
    return key.removesuffix("_").replace("_", "-")


def _spelled(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
