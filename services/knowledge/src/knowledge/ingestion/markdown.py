"""Markdown as a reader sees it: the words without the marks, for search; quotes come from the source itself."""

import re
from typing import Final

_IMAGE: Final = re.compile(r"!\[([^\]]*)\]\([^)]*\)")
_LINK: Final = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\]]*\])")
_AUTOLINK: Final = re.compile(r"<(?:https?://|mailto:)[^>\s]*>")
_TAG: Final = re.compile(r"</?[a-zA-Z][^<>]*>")
_DIRECTIVE: Final = re.compile(
    r"\{%.*?%\}|\{:[^}]*\}|\{#[^}]*\}|^\s*:::.*$|\[!(?:NOTE|TIP|WARNING|IMPORTANT|CAUTION|div)[^\]]*\]", re.MULTILINE
)
_LINE_MARK: Final = re.compile(r"^\s{0,3}(?:>\s?|#{1,6}\s+)+", re.MULTILINE)
_RULE: Final = re.compile(r"^[\s|:=*_-]+$", re.MULTILINE)
_EMPHASIS: Final = re.compile(r"\*{1,3}|(?<![^\W_])_{1,3}|_{1,3}(?![^\W_])|`+|~~|\\(?=[^\w\s])")
_SPACE: Final = re.compile(r"\s+")


def plain(markdown: str) -> str:
    """Take the marks out of a piece of Markdown. Shapes: one line; empty when nothing is to be read."""
    text = _IMAGE.sub(r" \1 ", markdown)
    text = _LINK.sub(r"\1", text)
    for noise in (_AUTOLINK, _DIRECTIVE, _TAG, _RULE, _LINE_MARK):
        text = noise.sub(" ", text)
    return _SPACE.sub(" ", _EMPHASIS.sub("", text).replace("|", " ")).strip()
