"""A condition, an item and a row are quoted with what gives them their sense."""

from knowledge.answering.units import Units
from tests.support.answering import make_passage


def quoted_with(text: str, chosen: str) -> list[str]:
    units = Units(make_passage(text))
    position = units.texts.index(chosen)
    return [units.texts[at] for at in sorted(units.companions(position))]


def test_an_exception_belongs_to_the_rule_before_it() -> None:
    text = "邮票可以退。但使用过的除外。盒子不退。"

    assert quoted_with(text, "邮票可以退。") == ["邮票可以退。", "但使用过的除外。"]
    assert quoted_with(text, "但使用过的除外。") == ["邮票可以退。", "但使用过的除外。"]
    assert quoted_with(text, "盒子不退。") == ["盒子不退。"]


def test_exceptions_in_a_row_stay_together() -> None:
    text = "Stamps can be returned. However, used ones cannot. Unless they are faulty."

    assert quoted_with(text, "Stamps can be returned.") == [
        "Stamps can be returned.",
        "However, used ones cannot.",
        "Unless they are faulty.",
    ]


def test_an_item_belongs_to_its_lead_in() -> None:
    text = "下列物品不退：\n- 邮票；\n- 信封。\n\n其他都可以退。"

    assert quoted_with(text, "- 信封。") == ["下列物品不退：", "- 信封。"]
    assert quoted_with(text, "其他都可以退。") == ["其他都可以退。"]


def test_a_row_belongs_to_its_header() -> None:
    text = "| 物品 | 期限 |\n|---|---|\n| 邮票 | 3 天 |\n| 信封 | 5 天 |"

    assert quoted_with(text, "| 信封 | 5 天 |") == ["| 物品 | 期限 |", "| 信封 | 5 天 |"]


def test_headings_and_table_headers_state_nothing() -> None:
    units = Units(make_passage("## 邮票\n| 物品 | 期限 |\n|---|---|\n| 邮票 | 3 天 |\n邮票可以退。"))

    stated = [text for at, text in enumerate(units.texts) if units.is_statement(at)]
    assert stated == ["| 邮票 | 3 天 |", "邮票可以退。"]


def test_what_only_asks_states_nothing() -> None:
    units = Units(make_passage("需要更多时间吗？可以延长三天。Need more? Ask us."))

    stated = [text for at, text in enumerate(units.texts) if units.is_statement(at)]
    assert [text.strip() for text in stated] == ["可以延长三天。", "Ask us."]


def test_a_list_is_found_from_its_lead_in_and_from_an_item() -> None:
    units = Units(make_passage("步骤如下：\n1. 打包。\n2. 寄出。\n\n完成。"))

    assert units.list_around(0) == (1, 2)
    assert units.list_around(2) == (1, 2)
    assert units.list_around(3) == ()
