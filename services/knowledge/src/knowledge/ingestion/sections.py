"""Finds the sections of a source: what stands under one heading path.

Beside the headings of Markdown there are those that a law, a notice or a page of questions writes as plain lines:
第三章 总则, 二、退货条件, an article (第八条) and a question with its answer each make a section of their own.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from knowledge.ingestion.blocks import Block, Heading, read_blocks
from knowledge.ingestion.furniture import is_furniture
from knowledge.ingestion.markdown import plain

_HAN: Final = "一二三四五六七八九十百千零〇"
_MARKS: Final = r"[ \t　>*_]*"
_CHAPTER: Final = re.compile(rf"{_MARKS}第[{_HAN}\d]{{1,7}}([编章节])(?:[^\n。；;，,：:]{{0,40}})$")
_ARTICLE: Final = re.compile(
    rf"{_MARKS}(第[{_HAN}\d]{{1,7}}条(?:之[一二三四五六七八九十])?)(?=[\s　*:：]|[^、，,和及至到规的])"
)
_NUMBERED_TITLE: Final = re.compile(rf"{_MARKS}[{_HAN}]{{1,4}}、[^\n。；;，,：:！!？?、]{{1,30}}$")
_QUESTION: Final = re.compile(rf"{_MARKS}(?:问题?|提问|Q(?:uestion)?)\s*\d{{0,3}}[ \t*_]*[:：.．]{_MARKS}(?=\S)(.*)")
ANSWER: Final = re.compile(rf"{_MARKS}(?:答案?|回答|A(?:nswer)?)\s*\d{{0,3}}[ \t*_]*[:：.．]")
_ANSWER_LINE: Final = re.compile(rf"\n{ANSWER.pattern}")
# Where a paragraph whose lines its author did not part goes on with another article, question or answer.
_OPENING_LINE: Final = re.compile(
    rf"\n(?={_ARTICLE.pattern}|{_MARKS}第[{_HAN}\d]{{1,7}}[编章节][ \t　][^\n。；;，,：:]{{0,40}}(?:\n|$)"
    rf"|{_QUESTION.pattern}|{ANSWER.pattern})"
)
_ENUMERATOR: Final = re.compile(
    rf"{_MARKS}(?:([（(])(?:[{_HAN}]{{1,4}}|\d{{1,3}}|[a-z]{{1,4}})[)）]|\d{{1,3}}([)）、])|[{_HAN}]{{1,4}}(、)|([①-⑳]))"
)
# Levels below those of Markdown: a chapter may hold sections, those articles, and an article numbered parts.
_LEVELS: Final = {"编": 7, "章": 8, "节": 9}
_ARTICLE_LEVEL, _PART_LEVEL, _QUESTION_LEVEL = 10, 11, 12
_LONGEST_STEP: Final = 120


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under one heading path, which is never empty. `article` says that its last step is an article."""

    path: tuple[str, ...]
    blocks: tuple[Block, ...]
    article: bool


@dataclass(frozen=True, slots=True)
class _Step:
    """A step of a heading path. One that is `kept` is also text of a passage."""

    level: int
    text: str
    kept: bool = False


def read_sections(source: str, title: str) -> Iterator[Section]:
    """Read a source section by section. The title itself is no step of a path that has others."""
    placed = _placed(source, title)
    for (path, article), group in groupby(placed, key=lambda each: each[:2]):
        yield Section(path, tuple(_listed(source, (block for *_, block in group))), article)


def _placed(source: str, title: str) -> Iterator[tuple[tuple[str, ...], bool, Block]]:
    steps: list[_Step] = []
    began = False
    items = list(_parted(source))
    for place, item in enumerate(items):
        following = items[place + 1] if place + 1 < len(items) else None
        step = _Step(item.level, item.text) if isinstance(item, Heading) else _step(source, item, following)
        if step is not None:
            steps = [*(above for above in steps if above.level < step.level), step]
        path = tuple(each.text for each in steps if each.text and each.text != title)
        if isinstance(item, Heading) or (step is not None and not step.kept):
            continue
        if is_furniture(source[item.start : item.end], path=(title, *path), began=began):
            continue
        began = True
        yield path or (title,), bool(steps) and steps[-1].level == _ARTICLE_LEVEL, item


def _parted(source: str) -> Iterator[Heading | Block]:
    """Part paragraphs at the lines that open an article, a chapter, a question or an answer."""
    for item in read_blocks(source):
        if isinstance(item, Heading) or item.whole:
            yield item
            continue
        starts = [item.start]
        starts += (found.end() for found in _OPENING_LINE.finditer(source, item.start, item.end))
        for start, end in zip(starts, [*starts[1:], item.end], strict=True):
            yield replace(item, start=start, end=start + len(source[start:end].rstrip()))


def _step(source: str, block: Block, following: Heading | Block | None) -> _Step | None:
    """Tell whether a paragraph opens a section, as a line of its own or with its first words."""
    text = source[block.start : block.end]
    if chapter := _CHAPTER.match(text):
        return _Step(_LEVELS[chapter.group(1)], plain(text))
    if article := _ARTICLE.match(text):
        return _Step(_ARTICLE_LEVEL, article.group(1), kept=True)
    if question := _QUESTION.match(text):
        if _ANSWER_LINE.search(text) or _opens(ANSWER, source, following):
            return _Step(_QUESTION_LEVEL, plain(question.group(1))[:_LONGEST_STEP], kept=True)
    elif _NUMBERED_TITLE.match(text) and isinstance(following, Block) and not _opens(_ENUMERATOR, source, following):
        return _Step(_PART_LEVEL, plain(text))
    return None


def _opens(pattern: re.Pattern[str], source: str, item: Heading | Block | None) -> bool:
    return isinstance(item, Block) and pattern.match(source, item.start, item.end) is not None


def _listed(source: str, blocks: Iterable[Block]) -> Iterator[Block]:
    """Take paragraphs that follow each other with marks of one kind, （一） or 1), for the items of a list."""
    kind: Sequence[str | None] | None = None
    first = 0
    for block in blocks:
        mark = None if block.whole or block.list_at is not None else _ENUMERATOR.match(source, block.start, block.end)
        if mark is None:
            kind = None
            yield block
            continue
        opens = mark.groups() != kind
        if opens:
            kind, first = mark.groups(), block.start
        yield replace(block, opens=opens, list_at=first)
