"""Sentences, items, rows and headings are cut where a reader would cut them."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.ingestion.sentences import limits_previous, split_sentences


def pieces(text: str) -> list[str]:
    return [text[span.start : span.end] for span in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("七天内可以退货。运费由商家承担。", ["七天内可以退货。", "运费由商家承担。"]),
        ("Pay within 3.5 days. Uptime is 99.99%. Enjoy.", ["Pay within 3.5 days.", "Uptime is 99.99%.", "Enjoy."]),
        (
            "Shops in the U.S. ship free. See No. 5 of Acme Inc. rules.",
            ["Shops in the U.S. ship free.", "See No. 5 of Acme Inc. rules."],
        ),
        ("We are Acme Inc. We sell pens.", ["We are Acme Inc.", "We sell pens."]),
        ("Write to help@shop.example. We reply.", ["Write to help@shop.example.", "We reply."]),
        ("See https://shop.example/a?b=1.2&c=d! Then call.", ["See https://shop.example/a?b=1.2&c=d!", "Then call."]),
        ("他说：“不退。”我们同意。", ["他说：“不退。”", "我们同意。"]),
        ("标明“概不退换。”，视为无效。", ["标明“概不退换。”，视为无效。"]),
        ("(It is final.) We ship.", ["(It is final.)", "We ship."]),
        ("等等……都可以退。好。", ["等等……都可以退。", "好。"]),
        ("Wait... then pay. Done.", ["Wait... then pay.", "Done."]),
        ("第十条 商家应当退款。买家寄回。", ["第十条 商家应当退款。", "买家寄回。"]),
        ("1. Keep the box. Send it.\n2. Wait.", ["1. Keep the box.", "Send it.", "2. Wait."]),
        ("（一）食品；\n（二）鲜花。", ["（一）食品；", "（二）鲜花。"]),
        ("Not covered:\n- food\n- flowers", ["Not covered:", "- food", "- flowers"]),
        ("| Item | Days |\n| --- | --- |\n| Pen. Ink. | 3 |", ["| Item | Days |", "| Pen. Ink. | 3 |"]),
        ("# Returns. Really\nYou may return.", ["# Returns. Really", "You may return."]),
        ("Returns\nYou may return it.", ["Returns", "You may return it."]),
        (
            "You may return anything that you bought\nfrom us. Within a week.",
            ["You may return anything that you bought\nfrom us.", "Within a week."],
        ),
        ("退货须知 Refunds are free.可以退。", ["退货须知 Refunds are free.", "可以退。"]),
        ("**No refunds.** We mean it.", ["**No refunds.**", "We mean it."]),
        ("版本 3.5 可用。", ["版本 3.5 可用。"]),
        ("Can I? Yes! Fine.", ["Can I?", "Yes!", "Fine."]),
        ("At 5 p.m. on Friday. Good.", ["At 5 p.m. on Friday.", "Good."]),
        ("   \n\n", []),
        ("---\n***", []),
    ],
)
def test_a_text_is_cut_where_a_reader_cuts_it(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


@given(st.text(alphabet="ab AB1.。！?…”）)\n#-|*、，第条（一）é\t", max_size=80))
def test_units_are_ordered_disjoint_trimmed_and_hold_every_word(text: str) -> None:
    spans = split_sentences(text)

    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert all(a.end <= b.start for a, b in itertools.pairwise(spans))
    assert all(text[s.start : s.end] == text[s.start : s.end].strip() for s in spans)
    covered = "".join(text[s.start : s.end] for s in spans)
    assert [c for c in covered if c.isalnum()] == [c for c in text if c.isalnum()]


@given(
    st.lists(st.sampled_from(["可以退货。", "运费 3.5 元！", "能退吗？", "We pay 2.5%. ", "U.S. only! "]), max_size=6)
)
def test_joined_sentences_come_apart_again(sentences: list[str]) -> None:
    assert pieces("".join(sentences)) == [sentence.strip() for sentence in sentences]


@pytest.mark.parametrize(
    "sentence",
    [
        "但是定制商品除外。", "不过，运费自理。", "除外：鲜花。", "仅限会员。", "However, food is final.", "Unless opened.",
        "Except for gifts.", "But not food.", "- But not food.", "This does not apply to food.", "前款规定不适用于定制商品。",
        "除定制商品外，都可以退。",
    ],
)  # fmt: skip
def test_a_limiting_sentence_is_known(sentence: str) -> None:
    assert limits_previous(sentence)


@pytest.mark.parametrize("sentence", ["可以退货。", "Refunds are free.", "Butter is food.", "运费由商家承担。", ""])
def test_an_ordinary_sentence_limits_nothing(sentence: str) -> None:
    assert not limits_previous(sentence)


@pytest.mark.timeout(20)
def test_marks_without_end_take_no_time() -> None:
    assert not limits_previous("*" * 60_000 + "x")
    assert limits_previous("> **(1) 但定制商品除外")
