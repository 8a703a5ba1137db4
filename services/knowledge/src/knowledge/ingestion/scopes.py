"""Finds what a text says about its own reach, and the passages that this holds for.

"本节仅适用于会员" limits every rule of its section, wherever a passage ends. "本办法适用于……" and "……，适用本法" hold for
the whole document, as does "Applies to:" above its first heading.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from knowledge.ingestion.markdown import plain

_LONGEST: Final = 300
_MOST: Final = 3
_HINT: Final = re.compile(r"适\s*用|\*\*于|仅限|只限|仅针对|只针对|[Aa]ppl(?:y|ies|icable)|[Cc]overs?\b|only for")
_LISTS: Final = re.compile(r"[:：]\W*$|^(?:适用于|applies to|适用范围|适用对象)\W*$", re.IGNORECASE)

_NUMBER: Final = (
    r"(?:第[一二三四五六七八九十百千零〇\d]{1,7}条\s*|[一二三四五六七八九十]{1,3}、\s*|[（(][一二三四五六七八九十\d]{1,3}[)）]\s*"
    r"|\d{1,3}(?:\.\d{1,3})*[.)、]?\s+|[-*+•]\s+)?"
)
_DOCUMENT_ZH: Final = (
    r"(?:法|规定|办法|条例|细则|解释|决定|政策|协议|规则|制度|指南|说明|公告|通知|标准|声明|服务条款|页面?|文档?|手册)"
)
_DOCUMENT_EN: Final = (
    r"(?:policy|policies|agreement|addendum|document|page|guide|article|notice|terms(?: of (?:use|service))?|template|manual"
    r"|statement|directive|process|code of conduct|guidelines?)"
)
_WORDS: Final = r"(?:(?!not\b)\w+\s){0,2}?"
_WHOLE: Final = re.compile(
    rf"{_NUMBER}(?:本{_DOCUMENT_ZH}[^，。；]{{0,6}}?(?:仅|只|均|不)?\s*(?:适用|针对|仅限)(?!本)"
    rf"|(?:(?:this|these)\s(?:\w+\s)?|the\s){_DOCUMENT_EN}(?:\sand\s\w+)?\s(?:only\s|also\s)?(?:does\snot\s|do\snot\s)?"
    rf"(?:appl(?:y|ies)|covers?)(?:\sonly)?\s)",
    re.IGNORECASE,
)
_WHOLE_AT_END: Final = re.compile(rf"{_NUMBER}[^；]*(?<!参照)适用本{_DOCUMENT_ZH}。$")
_SECTION: Final = re.compile(
    rf"{_NUMBER}(?:(?:本|此|该)(?:小?节|章|条|款|部分)[^，。；]{{0,6}}?(?:仅|只|均|不)?(?:适用|针对|仅限)"
    r"|(?:以下|下列|下述|下面)[^，。；：:]{0,12}?(?:仅限|只限|(?:仅|只|均|不)?适用于(?![你您])|(?:仅|只)针对)"
    r"|(?:仅|只)?适\s*用\s*(?:于|对象|范围|产品|版本|人群|商品|地区)\s*(?:[:：]|$)"
    rf"|(?:this|the\sfollowing|these)\s(?:section|part|clause|chapter|paragraph|rules?|conditions?|terms|steps|exceptions?)\s{_WORDS}"
    r"(?:does\snot\s|do\snot\s)?appl(?:y|ies)(?:\sonly)?\s"
    r"|(?:only\s)?appl(?:ies|icable)\s(?:only\s)?to\b)",
    re.IGNORECASE,
)
_ITEM: Final = re.compile(r"[\s>]*(?:[-*+•]\s|\d{1,3}[.)]\s|[（(])")
_MORE: Final = " …"
_MOST_ITEMS: Final = 20
_LEADING_NUMBER: Final = re.compile(_NUMBER)
_CHAPTER_WORD: Final = re.compile(rf"{_NUMBER}[本此该](?:小?节|章|部分)")


@dataclass(frozen=True, slots=True)
class Scope:
    """A sentence that limits every passage whose heading path begins with `path`."""

    path: tuple[str, ...]
    text: str


def find_scopes(units: Sequence[str], *, path: tuple[str, ...], article: bool) -> Iterator[Scope]:
    """Find the statements of reach among the sentences of a section; `article` says that it is an article of a law.

    Shapes: `path` is empty for what holds for the whole document.
    """
    for place, unit in enumerate(units):
        if not _HINT.search(unit):
            continue
        said = plain(unit)
        held = _held(said, path, article=article)
        if held is None:
            continue
        text = _with_list(_LEADING_NUMBER.sub("", said), units[place + 1 : place + 1 + _MOST_ITEMS])
        if len(text) <= _LONGEST:
            yield Scope(held, text)


def by_path(scopes: Iterable[Scope]) -> dict[tuple[str, ...], list[str]]:
    """Put statements under the path that they hold for: the first few of each, in their order."""
    grouped: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for scope in scopes:
        held = grouped[scope.path]
        if len(held) < _MOST and scope.text not in held:
            held.append(scope.text)
    return grouped


def applying(scopes: Mapping[tuple[str, ...], Sequence[str]], path: tuple[str, ...]) -> str | None:
    """Join what limits the passages of a path, the widest first, a statement a line; None when nothing does."""
    held = (text for steps in range(len(path) + 1) for text in scopes.get(path[:steps], ()))
    return "\n".join(dict.fromkeys(held)) or None


def _held(said: str, path: tuple[str, ...], *, article: bool) -> tuple[str, ...] | None:
    if _WHOLE.match(said) or _WHOLE_AT_END.match(said):
        return ()
    if not _SECTION.match(said):
        return None
    return path[:-1] if article and _CHAPTER_WORD.match(said) else path


def _with_list(said: str, following: Sequence[str]) -> str:
    """Add the items that a statement leads in to; where there is no room for all, it says that it goes on."""
    if not _LISTS.search(said):
        return said
    text = said
    for item in following:
        if not _ITEM.match(item):
            break
        if len(text) + len(item) > _LONGEST - len(_MORE):
            return text + _MORE
        text = f"{text} {plain(item)}"
    return text
