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
# Deeper than Markdown goes, as documents of Word and nested records do.
_DEEP_HEADING: Final = re.compile(r"(#{7,12})[ \t]+(\S[^\n]*?)(?:[ \t]+#+)?$")
_ARTICLE: Final = re.compile(
    rf"{_MARKS}(第[{_HAN}\d]{{1,7}}条(?:之[一二三四五六七八九十])?)(?=[\s　*:：]|[^、，,和及至到规的])"
)
_NUMBERED_TITLE: Final = re.compile(rf"{_MARKS}[{_HAN}]{{1,4}}、[^\n。；;，,：:！!？?、]{{1,30}}$")
# A clause number with its title, such as 4.2 Refunds. One with a sentence behind it is a clause and no title.
_CLAUSE_TITLE: Final = re.compile(
    rf"{_MARKS}(\d{{1,3}}(?:\.\d{{1,3}}){{0,4}})\.?[ \t]+(?!.*[.。;；]\s)[^\n]{{1,100}}(?<![.。;；,，:：!！])$"
)
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
_ARTICLE_LEVEL, _PART_LEVEL, _CLAUSE_LEVEL, _QUESTION_LEVEL = 10, 11, 12, 20
_LONGEST_STEP: Final = 120
_LOOKED_AT: Final = 2_000
_DEEPEST_CLAUSE: Final = 6


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
        step = _Step(item.level, item.text) if isinstance(item, Heading) else _step(source, items, place)
        if step is not None:
            steps = [*(above for above in steps if above.level < step.level), step]
        path = tuple(each.text for each in steps if each.text and each.text != title)
        if isinstance(item, Heading) or (step is not None and not step.kept):
            continue
        if step is None and is_furniture(source[item.start : item.end], path=(title, *path), began=began):
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


def _step(source: str, items: Sequence[Heading | Block], place: int) -> _Step | None:
    """Tell whether a block opens a section, as a line of its own or with its first words."""
    block = items[place]
    if isinstance(block, Heading):
        return None
    following = items[place + 1] if place + 1 < len(items) else None
    text = source[block.start : min(block.end, block.start + _LOOKED_AT)]
    if deep := _DEEP_HEADING.match(text):
        return _Step(len(deep.group(1)), plain(deep.group(2)))
    if chapter := _CHAPTER.match(text):
        return _Step(_LEVELS[chapter.group(1)], plain(text))
    if article := _ARTICLE.match(text):
        return _Step(_ARTICLE_LEVEL, article.group(1), kept=True)
    question = _QUESTION.match(text)
    if question and (_ANSWER_LINE.search(text) or _opens(ANSWER, source, following)):
        return _Step(_QUESTION_LEVEL, plain(question.group(1))[:_LONGEST_STEP], kept=True)
    return _title_step(source, items, place)


def _title_step(source: str, items: Sequence[Heading | Block], place: int) -> _Step | None:
    """Tell whether a numbered line is a title. Where text follows it stays in its passage, should it be a sentence."""
    number = _clause_title(source, items, place)
    if number is not None:
        kept = _clause_number(source, items, place + 1) is None
        return _Step(_CLAUSE_LEVEL + number.count("."), _line(source, items[place]), kept=kept)
    following = items[place + 1] if place + 1 < len(items) else None
    if not isinstance(following, Block) or _opens(_ENUMERATOR, source, following):
        return None
    is_title = _opens(_NUMBERED_TITLE, source, items[place])
    return _Step(_PART_LEVEL, _line(source, items[place]), kept=True) if is_title else None


def _line(source: str, item: Heading | Block) -> str:
    return item.text if isinstance(item, Heading) else plain(source[item.start : item.end])


def _clause_title(source: str, items: Sequence[Heading | Block], place: int) -> str | None:
    """Give the number of a clause title: text follows, or the title of its first part. Elsewhere it is a list."""
    number = _clause_number(source, items, place)
    if number is None:
        return None
    for at in range(place + 1, min(place + _DEEPEST_CLAUSE, len(items))):
        below = _clause_number(source, items, at)
        if below is None:
            return number if isinstance(items[at], Block) and ("." in number or at > place + 1) else None
        if below.rpartition(".")[0] != _clause_number(source, items, at - 1):
            return None
    return None


def _clause_number(source: str, items: Sequence[Heading | Block], place: int) -> str | None:
    block = items[place] if place < len(items) else None
    if not isinstance(block, Block) or block.end - block.start > _LONGEST_STEP:
        return None
    title = _CLAUSE_TITLE.match(source[block.start : block.end])
    return title.group(1) if title else None


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
