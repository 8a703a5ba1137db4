"""A claim says what its quotes say: no less condition, no other party, no more promise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.validation.claims import check_claim
from knowledge.validation.verdict import FaultCode


def codes(claim: str, *quotes: str, floor: float = 0.2, agreement: float | None = None) -> set[FaultCode]:
    return {fault.code for fault in check_claim(claim, quotes, claim_overlap=floor, agreement=agreement)}


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("商家收到茶壶后3天内退款。", "商家应当自收到茶壶之日起三日内退款。"),
        ("茶壶寄回的运费由买家承担。", "寄回茶壶的运费由消费者承担。"),
        ("刻了字的茶壶不能退。", "刻字的茶壶不得退货。"),
        ("茶壶碎了不用寄回。", "茶壶碎裂的，无须寄回。"),
        ("You can send the kettle back within two weeks.", "The kettle may be sent back within 14 days."),
        ("The kettle's box does not need to be sent along.", "You do not have to send the kettle's box."),
        ("We erase your letters after a year.", "Your letters are erased by us after 12 months."),
        ("Kettles stay in stock.", "We will not remove kettles from stock."),
        ("Every kettle is checked.", "All kettles are checked."),
        ("The buyer pays the postage of the kettle.", "Postage of the kettle is paid by the customer."),
        ("Engraved kettles are refunded unless cracked.", "Engraved kettles are refunded, except for cracked ones."),
    ],
)
def test_an_honest_rewording_passes(claim: str, quote: str) -> None:
    assert codes(claim, quote) == set()


@pytest.mark.parametrize(
    ("claim", "quote", "code"),
    [
        ("茶壶三天内退款。", "茶壶五天内退款。", FaultCode.NUMBER_NOT_IN_QUOTE),
        ("茶壶周六发货。", "茶壶周五发货。", FaultCode.DATE_NOT_IN_QUOTE),
        ("寄出茶壶后七天内退款。", "自收到茶壶之日起七日内退款。", FaultCode.DATE_NOT_IN_QUOTE),
        ("刻字的茶壶可以退货。", "刻字的茶壶不得退货。", FaultCode.POLARITY_DIFFERS),
        ("商家无须退还茶壶的货款。", "商家应当退还茶壶的货款。", FaultCode.POLARITY_DIFFERS),
        ("商家必须更换茶壶。", "商家可以更换茶壶。", FaultCode.MODALITY_DIFFERS),
        ("You can return an engraved kettle.", "You cannot return an engraved kettle.", FaultCode.POLARITY_DIFFERS),
        ("You must register the kettle.", "You may register the kettle.", FaultCode.MODALITY_DIFFERS),
        ("We delete your letters.", "We keep your letters.", FaultCode.POLARITY_DIFFERS),
        ("茶壶的运费由商家承担。", "茶壶的运费由消费者承担。", FaultCode.PARTY_DIFFERS),
        ("You pay the postage of the kettle.", "We pay the postage of the kettle.", FaultCode.PARTY_DIFFERS),
        ("茶壶由平台赔偿。", "茶壶由商家赔偿。", FaultCode.PARTY_DIFFERS),
        ("保证退还茶壶的货款。", "退还茶壶的货款。", FaultCode.OVER_PROMISE),
        ("茶壶终身保修。", "茶壶保修。", FaultCode.OVER_PROMISE),
        ("You get a full refund for the kettle.", "You get a partial refund for the kettle.", FaultCode.OVER_PROMISE),
        ("Any kettle can be returned.", "A new kettle can be returned.", FaultCode.OVER_PROMISE),
        ("茶壶可以退货。", "茶壶可以退货，但刻字的除外。", FaultCode.CONDITION_DROPPED),
        ("Kettles are refunded.", "Kettles are refunded unless they are cracked.", FaultCode.CONDITION_DROPPED),
        ("Our museum opens on sunny mornings.", "Kettles may be returned.", FaultCode.UNSUPPORTED_WORDS),
    ],
)
def test_a_changed_rule_is_refused_for_its_reason(claim: str, quote: str, code: FaultCode) -> None:
    assert code in codes(claim, quote)


def test_figures_are_not_swapped_between_matters() -> None:
    quote = "Kettles are repaired within 30 days. Lamps are repaired within 60 days."

    assert codes("Kettles are repaired within 30 days.", quote) == set()
    assert codes("Lamps are repaired within 30 days.", quote) == {FaultCode.NUMBER_NOT_IN_QUOTE}


def test_across_languages_the_agreement_decides() -> None:
    claim, quote = "茶壶在五个工作日内退款。", "The kettle is refunded within five business days."

    assert codes(claim, quote) == {FaultCode.UNSUPPORTED_WORDS}
    assert codes(claim, quote, agreement=0.2) == {FaultCode.UNSUPPORTED_WORDS}
    assert codes(claim, quote, agreement=0.6) == set()


def test_agreement_makes_up_for_missing_words() -> None:
    claim, quote = "You may bring another sibling along.", "Every child can have one brother or sister join in."

    assert codes(claim, quote) == {FaultCode.UNSUPPORTED_WORDS}
    assert codes(claim, quote, agreement=0.3) == {FaultCode.UNSUPPORTED_WORDS}
    assert codes(claim, quote, agreement=0.6) == set()


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("A kettle looks fine on a shelf.", "Kettles that show chips on delivery are repaired by the workshop."),
        ("水壶可以寄存在前台。", "水壶送到时有划痕的，由工坊负责修理。"),
    ],
)
def test_few_common_words_carry_no_other_matter(claim: str, quote: str) -> None:
    assert codes(claim, quote, floor=0.2) == set()
    assert codes(claim, quote, floor=0.2, agreement=0.05) == {FaultCode.UNSUPPORTED_WORDS}
    assert codes(claim, quote, floor=0.2, agreement=0.2) == set()


def test_facts_are_compared_across_languages() -> None:
    claim, quote = "茶壶在五天内退款。", "The kettle is refunded within five business days."

    assert codes(claim, quote, agreement=0.9) == {FaultCode.NUMBER_NOT_IN_QUOTE}


SENTENCES = st.sampled_from(
    [
        "商家应当自收到茶壶之日起七日内退款，但刻字的除外。", "未经买家同意，卖家不得更换茶壶。", "超过90天的，不予受理。",
        "处5000元以上2万元以下的罚款。", "运费由买家承担，商家保证全额退还货款。", "无论何时都可以取消。",
        "You may not return engraved kettles unless they are cracked.", "We never charge more than $3.50 per kettle.",
        "Refunds are guaranteed within 5 to 7 business days after we receive the kettle.", "If it fails, either party may cancel.",
        "The buyer, not the seller, must pay; otherwise the order is void.", "Lifetime repairs are free on May 1, 2026.",
    ]
)  # fmt: skip


@given(st.lists(SENTENCES, min_size=1, max_size=3, unique=True), st.data())
def test_a_verbatim_sentence_always_passes(sentences: list[str], data: st.DataObject) -> None:
    claim = data.draw(st.sampled_from(sentences))

    assert codes(claim, *sentences, floor=1.0) == set()
    assert codes(claim, " ".join(sentences), floor=1.0) == set()


@given(SENTENCES, st.data())
def test_a_changed_digit_never_passes(sentence: str, data: st.DataObject) -> None:
    digits = [at for at, character in enumerate(sentence) if character.isdigit()]
    if digits:
        at = data.draw(st.sampled_from(digits))
        digit = data.draw(st.sampled_from([d for d in "0123456789" if d != sentence[at]]))

        assert codes(sentence[:at] + digit + sentence[at + 1 :], sentence) != set()


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_can_be_checked(claim: str, quote: str) -> None:
    check_claim(claim, (quote,), claim_overlap=0.5)
