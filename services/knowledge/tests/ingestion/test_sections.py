"""Laws, notices and pages of questions come apart where their readers see a section."""

import pytest

from knowledge.ingestion.sections import read_sections
from knowledge.ingestion.splitting import split_passages


def _split(source: str, title: str = "标题") -> list[tuple[tuple[str, ...], str]]:
    return [(draft.heading_path, draft.text) for draft in split_passages(source, title=title)]


def test_chapters_and_sections_of_a_law_are_headings_without_any_mark() -> None:
    source = "第一章 总则\n\n第一条 为了保护消费者。\n\n第二章 退货\n\n第一节 期限\n\n第二条 七日内退货。\n\n第三章 附则\n\n第三条 自公布之日起施行。\n"

    assert [path for path, _ in _split(source)] == [
        ("第一章 总则", "第一条"),
        ("第二章 退货", "第一节 期限", "第二条"),
        ("第三章 附则", "第三条"),
    ]


def test_articles_whose_lines_are_not_parted_come_apart() -> None:
    source = "第一章 总则\n第一条 七日内退货。\n食品除外。\n第二条 运费由商家承担。\n"

    assert _split(source) == [
        (("第一章 总则", "第一条"), "第一条 七日内退货。\n食品除外。"),
        (("第一章 总则", "第二条"), "第二条 运费由商家承担。"),
    ]


def test_numbered_titles_of_a_notice_are_headings_and_numbered_items_are_not() -> None:
    notice = "一、退货条件\n\n商品完好。\n\n二、运费承担\n\n由商家承担。\n"
    items = "下列商品不退：\n\n一、食品\n\n二、鲜花\n\n三、定制商品\n"

    assert _split(notice) == [
        (("一、退货条件",), "一、退货条件\n\n商品完好。"),
        (("二、运费承担",), "二、运费承担\n\n由商家承担。"),
    ]
    assert _split(items) == [(("标题",), "下列商品不退：\n\n一、食品\n\n二、鲜花\n\n三、定制商品")]


def test_clause_numbers_with_a_title_make_sections_one_in_another() -> None:
    source = (
        "1. Returns\n\n1.1 Time\n\nYou have a week.\n\n1.2 Who pays?\n\nThe shop.\n\n2. Fees\n\n2.1 Cards\n\nNone.\n"
    )

    assert [path for path, _ in _split(source)] == [
        ("1. Returns", "1.1 Time"), ("1. Returns", "1.2 Who pays?"), ("2. Fees", "2.1 Cards"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "source",
    [
        "1.1 Time\n\n1.2 Fees\n\n1.2.1 Cards\n\n1.3 Places\n",
        "1. Open the box\n\nIt is heavy.\n\n2. Lift it\n\nSlowly.\n",
        "1.1 Appointment. The shop may appoint others.\n\n1.2 The customer pays.\n\nAt once.\n",
    ],
    ids=["contents", "steps", "clauses"],
)
def test_numbers_of_contents_steps_and_clauses_make_no_sections(source: str) -> None:
    assert {path for path, _ in _split(source)} == {("标题",)}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("问：能退吗？\n\n答：七天内可以。", "问：运费谁出？\n\n答：商家。"),
        ("问：能退吗？\n答：七天内可以。", "问：运费谁出？\n答：商家。"),
        ("**Q1: 能退吗？**\n\nA1: 七天内可以。", "**Q2: 运费谁出？**\n\nA2: 商家。"),
    ],
)
def test_a_question_stays_with_its_answer_and_names_the_section(first: str, second: str) -> None:
    for parted in ("\n\n", "\n"):
        assert _split(f"{first}{parted}{second}\n") == [(("能退吗？",), first), (("运费谁出？",), second)]


def test_every_passage_of_a_long_answer_stands_under_its_question() -> None:
    source = f"Q: Can I return it?\n\nA: Yes. {'You send it back to us within a week of the day it came. ' * 40}\n"

    passages = _split(source)

    assert len(passages) > 1
    assert {path for path, _ in passages} == {("Can I return it?",)}


def test_a_mark_without_an_answer_opens_no_question() -> None:
    assert _split("Q1: revenue grew.\n\nQ2: revenue fell.\n")[0][0] == ("标题",)


def test_passages_of_a_long_list_name_what_leads_in_to_it() -> None:
    markdown = "下列商品不能退：\n\n" + "".join(f"- 第{place}种，{'说明' * 60}；\n" for place in range(9))
    law = "第八条 有下列情形之一的，不予退货：\n\n" + "".join(
        f"（{mark}）{'情形' * 60}；\n\n" for mark in "一二三四五六七八九"
    )

    assert {path for path, _ in _split(markdown)[1:]} == {("标题", "下列商品不能退")}
    assert [path for path, _ in _split(law)][:2] == [("第八条",), ("第八条", "第八条 有下列情形之一的，不予退货")]


def test_items_after_a_nested_list_belong_to_the_outer_one() -> None:
    long = "很长的说明，" * 60
    source = f"不能退：\n\n- 食品：\n\n  - {long}\n  - {long}\n\n- 鲜花，{long}\n"

    assert _split(source)[-1] == (("标题", "不能退"), f"- 鲜花，{long}")


@pytest.mark.parametrize(
    "line",
    [
        "标题",
        "Home > Orders > Returns",
        "首页 » 帮助中心 » 退货",
        "目录",
        "Was this article helpful? Yes No",
        "返回顶部",
    ],
)
def test_lines_that_belong_to_the_page_are_no_text(line: str) -> None:
    assert _split(f"{line}\n\n七天可退。\n") == [(("标题",), "七天可退。")]


@pytest.mark.parametrize(
    "line", ["选择设置 > 账户 > 注销。", "是的，可以。", "Yes, you may.", "A > B", "分享优惠的规则"]
)
def test_lines_that_say_something_stay(line: str) -> None:
    assert line in _split(f"七天可退。\n\n{line}\n")[0][1]


def test_a_repeated_heading_is_said_once() -> None:
    assert _split("# 标题\n\n## 退货\n\n**退货**\n\n七天。\n") == [(("退货",), "七天。")]


@pytest.mark.timeout(20)
def test_a_heading_without_end_takes_no_time_and_little_room() -> None:
    [(path, text)] = _split("# " + "![" * 200_000 + "\n\n七天。\n")

    assert (len(path[0]), text) == (1_000, "七天。")


def test_headings_deeper_than_markdown_goes_are_steps_of_the_path() -> None:
    source = "###### F\n\nSix.\n\n####### G\n\nSeven.\n\n######## H ##\n\nEight.\n\n# A\n\nOne.\n"

    assert [each.path for each in read_sections(source, "T")] == [("F",), ("F", "G"), ("F", "G", "H"), ("A",)]
