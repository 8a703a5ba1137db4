"""No row of a table stands in a passage without the head of its columns."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from knowledge.ingestion.splitting import split_passages
from knowledge.ingestion.table_heads import with_table_heads

_HEAD = "| 商品 | 天数 |\n| --- | :-: |"
_ROWS = [f"| 第{number}种商品，{'说明' * 30} | {number} |" for number in range(40)]


def test_every_passage_of_a_long_table_begins_with_its_head() -> None:
    source = with_table_heads("\n".join((_HEAD, *_ROWS)))

    texts = [draft.text for draft in split_passages(source, title="标题")]

    assert len(texts) > 2
    assert all(text.startswith(_HEAD) for text in texts)
    assert [line for text in texts for line in text.split("\n") if "第" in line] == _ROWS


@pytest.mark.parametrize("head", [f"| {'商品名称' * 40} | 天数 |\n|---|---|", "商品|天数\n-|-"])
def test_wide_heads_and_tables_without_outer_bars_keep_their_rows(head: str) -> None:
    source = with_table_heads("\n".join((head, *_ROWS)))

    assert all(draft.text.startswith(head) for draft in split_passages(source, title="标题"))


def test_a_short_table_and_code_stay_as_they_are() -> None:
    short = f"{_HEAD}\n| 茶 | 7 |\n\n七天。"
    code = "\n".join(("```", _HEAD, *_ROWS, "```"))

    assert with_table_heads(short) == short
    assert with_table_heads(code) == code


@example([*_HEAD.split("\n"), *_ROWS[:2] * 6, ""])
@given(
    st.lists(
        st.sampled_from([*_ROWS[:4], *_HEAD.split("\n"), "", "七天。", "```", "a|b", "-|-"]), min_size=1, max_size=30
    )
)
def test_a_second_time_changes_nothing_and_no_line_is_lost(lines: list[str]) -> None:
    once = with_table_heads("\n".join(lines))

    assert with_table_heads(once) == once
    said = iter(once.split("\n"))
    assert all(line in said for line in lines)


@pytest.mark.timeout(20)
def test_a_rule_that_never_ends_takes_no_time() -> None:
    hostile = "商品|天数\n---" + " " * 300_000 + "x|\n"

    assert with_table_heads(hostile) == hostile
