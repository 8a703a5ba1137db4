"""Markdown as a reader sees it: the words without the marks, for search; quotes come from the source itself."""

import re
from typing import Final

from knowledge.ingestion.links import without_links

# Every pattern here ends where it could begin anew, or at the end of a line: a text of nothing but beginnings is read once.
_AUTOLINK: Final = re.compile(r"<(?:https?://|mailto:)[^<>\s]*>")
_TAG: Final = re.compile(r"</?[a-zA-Z][^<>]*>")
_DIRECTIVE: Final = re.compile(
    r"\{%[^{}\n]*%\}|\{[:#][^{}]*\}|^[^\S\n]*:::.*$|\[!(?:NOTE|TIP|WARNING|IMPORTANT|CAUTION|div)[^\[\]]*\]",
    re.MULTILINE,
)
_LINE_MARK: Final = re.compile(r"^[^\S\n]{0,3}(?:>[^\S\n]?|#{1,6}(?:[^\S\n]+|$))+", re.MULTILINE)
_RULE: Final = re.compile(r"^(?:[^\S\n]|[|:=*_-])+$", re.MULTILINE)
_EMPHASIS: Final = re.compile(r"\*{1,3}|(?<![^\W_])_{1,3}|_{1,3}(?![^\W_])|`+|~~|\\(?=[^\w\s])")
# Every pattern above begins with one of these or holds one: most passages hold none, and few hold many kinds.
_MARK: Final = re.compile(r"[\[<{:|=*_>#`~\\-]")
_NOISE: Final = ((_AUTOLINK, "<"), (_DIRECTIVE, "{:["), (_TAG, "<"), (_RULE, "|:=*_-"), (_LINE_MARK, ">#"))
_EMPHASIZING: Final = "*_`~\\"


def plain(markdown: str) -> str:
    """Take the marks out of a piece of Markdown. Shapes: one line; empty when nothing is to be read."""
    if _MARK.search(markdown) is None:
        return " ".join(markdown.split())
    text = without_links(markdown) if "[" in markdown else markdown
    for noise, marks in _NOISE:
        if _holds(text, marks):
            text = noise.sub(" ", text)
    if _holds(text, _EMPHASIZING):
        text = _EMPHASIS.sub("", text)
    return " ".join(text.replace("|", " ").split())


def _holds(text: str, marks: str) -> bool:
    return any(mark in text for mark in marks)
