"""Foretells what a web page costs its parser, which looks through all open elements and all attributes of one again and again."""

import re
from typing import Final

from knowledge.ingestion.formats.faults import UnreadableFileError
from knowledge.ingestion.problems import ProblemCode

# Steps of the parser: some 400 million take a second. A page of 10 MB whose elements nest fifty deep costs 100 million.
_MOST_STEPS: Final = 500_000_000
# Words of long classes and styles are counted as attributes too, so that fewer of them count as nothing.
_MANY_ATTRIBUTES: Final = 500
# A quoted value may hold the marks of a tag. Each alternative begins differently, so that no character is read twice.
_TAG: Final = re.compile(r"""<(!--|/?[a-z][a-z0-9-]*)((?:[^<>"']|"[^"]*"|'[^']*')*)""")
_RAW: Final = frozenset(("script", "style", "textarea", "title", "xmp", "iframe", "noframes", "noembed"))
# The parser closes these by itself when the next one begins, or at once.
_NEVER_DEEP: Final = frozenset(
    ("area", "base", "br", "col", "colgroup", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta", "option",
     "p", "param", "rp", "rt", "source", "tbody", "td", "tfoot", "th", "thead", "tr", "track", "wbr")
)  # fmt: skip


def refuse_costly(page: str) -> None:
    """Refuse a page whose parsing would take far longer than its size says. Errors: UnreadableFileError."""
    if steps_of(page) > _MOST_STEPS:
        sentence = "The page nests its elements far too deeply, or gives one far too many attributes."
        raise UnreadableFileError(ProblemCode.DAMAGED, sentence)


def steps_of(page: str) -> int:
    """Estimate the steps of a parser: for each tag the elements that are open, for each element its attributes squared."""
    text = page.lower()
    steps = depth = at = 0
    while tag := _TAG.search(text, at):
        name, at = tag[1], tag.end()
        if name == "!--":
            at = _after(text, "-->", tag.start())
            continue
        attributes = len(tag[2].split())
        steps += depth + (attributes**2 if attributes > _MANY_ATTRIBUTES else 0)
        if name.startswith("/"):
            depth = max(depth - (name[1:] not in _NEVER_DEEP), 0)
        elif name in _RAW:
            at = _after(text, f"</{name}", at)
        elif name not in _NEVER_DEEP and not tag[2].endswith("/"):
            depth += 1
    return steps


def _after(text: str, end: str, at: int) -> int:
    found = text.find(end, at)
    return len(text) if found < 0 else found + len(end)
