"""Passages are whole thoughts at an exact place of their source."""

import itertools
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from knowledge.ingestion.markdown import plain
from knowledge.ingestion.packing import LONGEST
from knowledge.ingestion.splitting import context_header, first_heading, split_passages
from knowledge.ingestion.table_heads import with_table_heads


def _split(source: str, title: str = "标题") -> list[tuple[tuple[str, ...], str]]:
    return [(draft.heading_path, draft.text) for draft in split_passages(source, title=title)]


def test_headings_make_sections_and_the_title_is_no_step_of_a_path() -> None:
    source = "# 标题\n\n开头。\n\n## 退货\n\n七天。\n\n### 运费\n\n商家。\n\n## 换货\n\n十五天。\n"

    assert _split(source) == [
        (("标题",), "开头。"),
        (("退货",), "七天。"),
        (("退货", "运费"), "商家。"),
        (("换货",), "十五天。"),
    ]


def test_a_list_stays_with_the_sentence_that_leads_in_to_it() -> None:
    filler = "这一句只是为了把段落写长。" * 20
    source = f"{filler}\n\n下列商品不能退：\n\n- 食品；\n- 鲜花。\n"

    assert _split(source)[-1][1].endswith("下列商品不能退：\n\n- 食品；\n- 鲜花。")


def test_a_limiting_sentence_stays_with_the_one_it_limits() -> None:
    source = "可以退货，" + "理由不限，" * 80 + "运费自理。\n\n但是定制商品除外。\n"

    assert len(_split(source)) == 1


def test_an_article_of_a_law_is_a_section_of_its_own() -> None:
    source = "## 第一章 总则\n\n第一条 为了保护消费者。\n\n有下列情形的：\n\n（一）食品；\n\n（二）鲜花。\n\n第二条 依照第一条处理。\n"

    assert _split(source) == [
        (("第一章 总则", "第一条"), "第一条 为了保护消费者。\n\n有下列情形的：\n\n（一）食品；\n\n（二）鲜花。"),
        (("第一章 总则", "第二条"), "第二条 依照第一条处理。"),
    ]


def test_a_reference_at_the_start_of_a_line_opens_no_article() -> None:
    assert _split("第一条和第二条所称商品，是指实物。\n") == [(("标题",), "第一条和第二条所称商品，是指实物。")]


def test_rows_and_items_are_never_cut() -> None:
    rows = "".join(f"| 商品{number} | {'很长的说明，' * 12}结束 |\n" for number in range(12))
    source = f"| 商品 | 说明 |\n| --- | --- |\n{rows}\n" + "".join(f"- 第{n}项{'很长' * 60}。\n" for n in range(8))

    passages = _split(with_table_heads(source))

    assert len(passages) > 4
    whole_lines = set(source.splitlines())
    assert all(line in whole_lines for _, text in passages for line in text.splitlines())


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("[联系我们](https://shop.example/a_(b)) **现在**", "联系我们 现在"),
        ("![图](a.png) 见 <https://shop.example>", "图 见"),
        ('# <a name="x"></a>标题 {#anchor}', "标题"),
        ("| 商品 | 天数 |\n| --- | --- |\n| 茶 | 7 |", "商品 天数 茶 7"),
        ("请写信到 {{ site.email_support }}。", "请写信到 {{ site.email_support }}。"),
        ("snake_case 和 _强调_ `码`", "snake_case 和 强调 码"),
        ("{% include a.html %}", ""),
    ],
)  # fmt: skip
def test_a_reader_sees_words_not_marks(markdown: str, expected: str) -> None:
    assert plain(markdown) == expected


def test_the_first_heading_is_the_title_and_a_header_says_no_step_twice() -> None:
    assert first_heading("前言\n\n退货政策\n===\n\n正文") == "退货政策"
    assert first_heading("只有正文") is None
    assert context_header("退货", ("退货",)) == "退货"
    assert context_header("退货", ("期限", "食品")) == "退货 > 期限 > 食品"


_LINES = st.lists(
    st.sampled_from(
        ["# 一", "## 二", "七天可退。", "但是食品除外。", "- 甲；", "  - 乙。", "1. 丙", "| a | b |", "| - | - |", "", "",
         "第三条 商家应当退款。", "第二章 退货", "问：能退吗？", "答：可以。", "（一）食品；", "> 引用。", "```", "<p>html</p>", "运费：", "x" * 950, "句子。" * 200]
    ),
    max_size=25,
)  # fmt: skip


@given(_LINES)
def test_passages_are_exact_ordered_disjoint_and_never_empty(lines: list[str]) -> None:
    source = "\n".join(lines)

    drafts = split_passages(source, title="标题")

    assert all(source[draft.start : draft.end] == draft.text for draft in drafts)
    assert all(one.end <= two.start for one, two in itertools.pairwise(drafts))
    assert all(draft.text.strip() == draft.text and plain(draft.text) and draft.heading_path for draft in drafts)


def test_a_last_crumb_takes_over_from_the_passage_before() -> None:
    sentence = "这一句话为了凑满篇幅写得比较长一些，一共四十个字左右。"
    source = sentence * 16 + "\n\n" + "最后一条另起一段，只有这么一点点内容。"

    sizes = [len(text) for _, text in _split(source)]

    assert len(sizes) > 1
    assert min(sizes) > 80


def test_a_label_stays_with_what_it_names() -> None:
    filler = "这一句只是为了把段落写长。" * 20

    assert _split(f"{filler}\n\n**SIM 卡**\n\n请重新插卡。\n")[-1][1].endswith("**SIM 卡**\n\n请重新插卡。")


def test_a_footnote_stays_with_what_it_is_about() -> None:
    filler = "这一句只是为了把段落写长。" * 36
    source = f"{filler}\n\n七天可退[1]。\n\n[1] 食品七天内不退。\n\n[2] 第二条注。\n"

    assert "七天可退[1]。\n\n[1] 食品七天内不退。\n\n[2] 第二条注。" in _split(source)[-1][1]


def test_line_and_page_say_where_a_passage_begins() -> None:
    source = "# 标题\n\n开头。\n\n## 退货\n\n七天。\n\n## 换货\n\n十五天。\n"

    places = [(each.line, each.page) for each in split_passages(source, title="标题", page_lines=(1, 1, 7))]

    assert places == [(3, 2), (7, 3), (11, 3)]
    assert {each.page for each in split_passages(source, title="标题")} == {None}


_DROPPED = re.compile(r"\s*(?:#{1,6} .*|第[一二三]章 .*|\|[\s|-]*\||`{3,}|-{3,})?\s*$")


@given(_LINES)
def test_all_text_is_in_exactly_one_passage_but_headings_and_rules(lines: list[str]) -> None:
    source = "\n".join(lines)
    drafts = split_passages(source, title="标题")

    edges = [0, *(edge for draft in drafts for edge in (draft.start, draft.end)), len(source)]
    gaps = "\n".join(source[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))

    assert [line for line in gaps.split("\n") if not _DROPPED.match(line)] == []


@example(["七天可退。", "# 一", "但是食品除外。"])
@given(_LINES)
def test_no_item_or_row_is_cut_and_nothing_that_limits_begins_a_passage(lines: list[str]) -> None:
    source = "\n".join(lines)

    drafts = split_passages(source, title="标题")

    whole = {line.strip() for line in lines}
    said = [line.strip() for draft in drafts for line in draft.text.splitlines() if line.strip()]
    assert all(line in whole or line.strip("句子。") == "" for line in said)
    # What stands under a heading of its own limits nothing above it.
    beside = [
        (before, draft) for before, draft in itertools.pairwise(drafts) if not source[before.end : draft.start].strip()
    ]
    assert not any(draft.text.startswith("但是") for before, draft in beside if before.text.endswith("七天可退。"))


@given(_LINES)
def test_a_source_is_always_cut_alike(lines: list[str]) -> None:
    source = "\n".join(lines)

    assert split_passages(source, title="标题") == split_passages(source, title="标题")


@pytest.mark.parametrize(
    "endless",
    [
        "无标点的长文" * 2_000,
        "word " * 5_000,
        "|a|b|\n|---|---|\n|" + "cell " * 3_000 + "|x|\n",
        "可以退货。" + "但是定制商品除外，另有约定的从其约定。" * 500,
        "必须满足：\n\n" + "- 条件，" * 3_000,
        "无" * 100_000,
        "：" * 50_000 + "条件，" * 20_000,
        "".join(f"第{place}条 七天。\n" for place in range(5_000)),
        "[" * 20_000 + "词" + " " * 100_000 + "词",
    ],
    ids=[
        "no stop",
        "no stop, with spaces",
        "one row",
        "glued sentences",
        "one item",
        "one line",
        "colons",
        "articles",
        "brackets",
    ],
)
def test_no_passage_is_longer_than_the_limit(endless: str) -> None:
    source = f"# 标题\n\n{endless}\n"

    passages = split_passages(source, title="标题")

    assert max(len(passage.text) for passage in passages) <= LONGEST
    assert sum(len(passage.text.split()) for passage in passages) > 0
    assert all(source[passage.start : passage.end] == passage.text for passage in passages)
