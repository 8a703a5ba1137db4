"""Tells lines that belong to a page and not to its text: repeated titles, paths of navigation, buttons."""

import re
from collections.abc import Sequence
from typing import Final

from knowledge.ingestion.markdown import plain

_LONGEST: Final = 200
_PARTS: Final = re.compile(r"\s*(?:\\?>|»|›|→)\s*")
_FEWEST_PARTS: Final = 3
_SENTENCE: Final = re.compile(r"[.。!！?？;；]")
_FIRST: Final = re.compile(
    r"(?:home(?: ?page)?|help(?: cent(?:er|re))?|support|首页|主页|帮助中心|帮助|支持)$", re.IGNORECASE
)
# Source: what help centres print around their articles; only a line that says nothing else is meant.
_BUTTONS: Final = re.compile(
    r"(?:was this (?:article|page|information|answer)? ?helpful\??|did this (?:article|page)? ?(?:help|answer your question)\??"
    r"|yes|no|skip to (?:main )?content|back to top|return to top|print(?: this page)?|share(?: this (?:article|page))?"
    r"|on this page|in this article|table of contents|contents"
    r"|(?:本文|此页面?|本页面?|该文|此信息)(?:是否|对您|有没有)[^。]{0,10}(?:有帮助|有用|帮助)(?:吗)?[？?]?|是|否|有帮助|没有?帮助"
    r"|(?:回到|返回)(?:页面)?顶部|跳[至到转]*主?要?内容|打印(?:本页)?|分享(?:到)?|目\s*录|本文内容)"
    r"(?:\s*[|/·]?\s*(?:yes|no|是|否|有帮助|没有?帮助|share|print|打印|分享))*$",
    re.IGNORECASE,
)


def is_furniture(markdown: str, *, path: Sequence[str], began: bool) -> bool:
    """Tell whether a block is no text: `path` is what it stands under, `began` whether there was text before."""
    if len(markdown) > _LONGEST or "\n" in markdown:
        return False
    line = plain(markdown)
    return line in path or _BUTTONS.match(line) is not None or (not began and _is_way(line, markdown, path))


def _is_way(line: str, markdown: str, path: Sequence[str]) -> bool:
    """Tell the way to a page, such as Home > Orders > Returns."""
    parts = _PARTS.split(line)
    if len(parts) < 2 or _SENTENCE.search(line) or markdown.startswith(">"):  # noqa: PLR2004 - a way has two ends
        return False
    return parts[-1] in path or (len(parts) >= _FEWEST_PARTS and _FIRST.match(parts[0]) is not None)
