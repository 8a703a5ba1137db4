"""A text made to take long is read in steps that grow with its length and no faster."""

import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from knowledge.ingestion.formats.html_cost import steps_of
from knowledge.ingestion.formats.reading import read_content
from knowledge.ingestion.links import without_links
from knowledge.ingestion.markdown import plain
from knowledge.ingestion.problems import Problem
from knowledge.ingestion.splitting import split_passages

pytestmark = pytest.mark.unit

_BEGINNINGS = (
    "[", "[a[", "[a]", "[[a]", "[a](", "[a]((", "[a](()", "[a][", "![", "![](", "<a ", "<http://a", "<mailto:", "{%",
    "{:", "{#", "[!NOTE", ":::\n", "\n", " \n", ">", "> ", "# ", "|", "|-|\n", "_", "*a", "`", "\\", "(",
)  # fmt: skip


def _lines_run(work: Callable[[], object]) -> int:
    """Count the lines of our code that run."""
    count = 0

    def trace(frame: FrameType, event: str, _arg: object) -> Any:  # a tracer returns a tracer
        nonlocal count
        if "knowledge" not in frame.f_code.co_filename:
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("beginning", _BEGINNINGS)
def test_links_take_as_many_steps_as_there_are_brackets(beginning: str) -> None:
    short, long = (_lines_run(lambda text=beginning * times: without_links(text)) for times in (500, 1_000))

    assert long <= 2.1 * short + 50


@pytest.mark.parametrize("beginning", _BEGINNINGS)
def test_patterns_that_begin_again_and_again_are_read_once(beginning: str) -> None:
    # Read quadratically each of these takes minutes, read once less than a second; nobody else's work is counted.
    before = time.process_time()

    plain(beginning * 100_000 + "x")

    assert time.process_time() - before < 20


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("[退货](u) 和 [a][b][c]", "退货 和 a[c]"),
        ("![图](x.png)后", "图后"),
        ("[[a]](u)", "[a]"),
        ("[a](b(c)d) e", "a e"),
        ("x [a] (b)", "x [a] (b)"),
        ("[![i](u)](v) z", "i z"),
        ("[x] done [^1]", "[x] done [^1]"),
        ("[a](b", "[a](b"),
        ("a](b)", "a](b)"),
        ("[a [b](c] d)", "[a b"),
    ],
)
def test_a_link_leaves_its_words(markdown: str, words: str) -> None:
    assert plain(markdown) == words


@pytest.mark.parametrize(
    "page",
    [
        "<div>" * 60_000,
        "<ul><li>退" * 40_000,
        "<p " + " ".join(f"a{number}" for number in range(60_000)) + ">退</p>",
        '<p a="<" ' + " ".join(f"a{number}='>'" for number in range(60_000)) + ">退</p>",
    ],
)
def test_a_page_that_would_take_its_parser_long_is_refused_before(page: str) -> None:
    read = read_content("a.html", page.encode())

    assert isinstance(read, Problem)
    assert "too deeply" in read.sentence


@pytest.mark.parametrize(
    "page",
    [
        "<p>退货。" * 50_000,
        "<table>" + "<tr><td>金卡<td>免" * 20_000 + "</table>",
        "<div class='a b c'><p>退货。</p></div>" * 20_000,
        "<script>" + "'<div>' + " * 100_000 + "</script><p>退货。</p>",
        "<!-- " + "<div>" * 100_000 + " --><p>退货。</p>",
        "<img src=a>" * 50_000 + "退货。",
    ],
)
def test_a_long_page_that_is_shallow_costs_its_parser_little(page: str) -> None:
    assert steps_of(page) < 10_000_000


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.md", "退" * 200_000),
        ("a.md", "但是退货。" * 20_000),
        ("a.md", "".join(f"{'#' * (1 + number % 6)} 标题{number}\n" for number in range(10_000))),
        ("a.md", "- " * 50_000 + "a"),
        ("a.md", ">" * 50_000 + "a"),
        ("a.md", f"|{'a|' * 10_000}\n|{'-|' * 10_000}\n|{'b|' * 10_000}\n"),
        ("a.csv", ",".join(["退"] * 10_000) + "\n" + ",".join(["货"] * 10_000)),
        ("a.json", "[" * 100_000 + "]" * 100_000),
        ("a.txt", "退货规定" * 50_000),
    ],
)
def test_a_hostile_file_is_read_and_cut_or_refused_in_good_time(path: str, text: str) -> None:
    before = time.process_time()

    read = read_content(path, text.encode())
    if not isinstance(read, Problem):
        split_passages(read, title="a")

    assert time.process_time() - before < 20
