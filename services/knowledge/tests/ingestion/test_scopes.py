"""What a text says about its own reach travels with every passage that it limits."""

import pytest

from knowledge.ingestion.splitting import split_passages


def _scopes(source: str) -> dict[tuple[str, ...], str | None]:
    return {draft.heading_path: draft.applies_to for draft in split_passages(source, title="标题")}


@pytest.mark.parametrize(
    "statement",
    [
        "本节适用于会员。", "本节仅适用于会员订单。", "以下规则仅限海外订单。", "下列条款只针对企业客户。", "本部分不适用于食品。",
        "This section applies to members.", "This section does not apply to food.", "The following rules only apply to members.",
        "Applies to: members", "**适用于：** 会员",
    ],
)  # fmt: skip
def test_a_statement_of_a_section_travels_with_its_passages(statement: str) -> None:
    source = f"## 退货\n\n{statement}\n\n### 期限\n\n七天。\n\n## 换货\n\n十五天。\n"
    said = statement.replace("*", "")

    assert _scopes(source) == {("退货",): said, ("退货", "期限"): said, ("换货",): None}


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("第二条 在本市销售商品，适用本办法。", "在本市销售商品，适用本办法。"),
        ("第二条 本办法适用于网络交易。", "本办法适用于网络交易。"),
        ("1. This policy applies to all products.", "This policy applies to all products."),
        ("These Event Terms apply to all guests.", "These Event Terms apply to all guests."),
    ],
)
def test_a_statement_about_the_document_travels_with_all_of_it(statement: str, said: str) -> None:
    source = f"开头。\n\n## 总则\n\n{statement}\n\n## 退货\n\n七天。\n"

    assert set(_scopes(source).values()) == {said}


def test_what_stands_above_the_first_heading_holds_for_the_document() -> None:
    source = "# 标题\n\n**适用于**\n\n- 会员\n- 企业客户\n\n## 退货\n\n七天。\n"

    assert _scopes(source)["退货",] == "适用于 - 会员 - 企业客户"


def test_statements_follow_each_other_from_the_widest_to_the_narrowest() -> None:
    source = "本政策适用于网店。\n\n## 退货\n\n本节仅适用于会员。\n\n七天。\n"

    assert _scopes(source)["退货",] == "本政策适用于网店。\n本节仅适用于会员。"


def test_a_statement_of_a_chapter_in_one_article_holds_for_the_chapter() -> None:
    source = "第一章 退货\n\n第一条 本章适用于会员。\n\n第二条 七天。\n\n第二章 换货\n\n第三条 十五天。\n"

    assert _scopes(source) == {
        ("第一章 退货", "第一条"): "本章适用于会员。",
        ("第一章 退货", "第二条"): "本章适用于会员。",
        ("第二章 换货", "第三条"): None,
    }


@pytest.mark.parametrize(
    "sentence",
    ["优惠券适用于所有商品。", "以下的一项适用于你：", "The npm terms of use apply to npm.", "前款规定不适用于食品。"],
)
def test_an_ordinary_sentence_is_no_statement_of_reach(sentence: str) -> None:
    assert set(_scopes(f"## 退货\n\n{sentence}\n").values()) == {None}
