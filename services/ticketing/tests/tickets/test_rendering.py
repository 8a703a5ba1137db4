import html
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.messages import CreateTicket, TranscriptTurn
from services.ticketing.tests.fakes import MOMENT, order
from ticketing.tickets.rendering import Lengths, bytes_of, inert, key_stamp, one_line, render
from ticketing.tickets.templates import BUILT_IN, TemplateFile

pytestmark = pytest.mark.unit

LENGTHS = Lengths(subject=190, body=5_000)
ANY_TEXT = st.text(max_size=400) | st.sampled_from(
    ["=1+1", "{{x}}", "{%x%}", "<b>&", "a\r\nBcc: x", "${x}", "<%= x %>"]
)


def _order(**fields: object) -> CreateTicket:
    return order("shop").model_copy(update=fields)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_ticket_is_written_in_the_language_of_the_conversation(language: str) -> None:
    text = render(_order(language=language), LENGTHS)

    assert BUILT_IN["zh" if language == "zh" else "en"].headings.question in text.plain


@given(ANY_TEXT, st.integers(60, 300))
def test_a_subject_is_one_short_line_that_begins_with_our_words_and_ends_with_the_key(text: str, length: int) -> None:
    subject = render(_order(question=text), Lengths(subject=length, body=5_000)).subject

    assert len(subject) <= length
    assert subject.splitlines() == [subject]
    assert subject.startswith(BUILT_IN["zh"].headings.subject[:4])
    assert subject.endswith(f"[{key_stamp('key-1')}]")
    assert "<" not in subject


@given(ANY_TEXT, ANY_TEXT)
def test_no_markup_of_a_customer_survives(question: str, note: str) -> None:
    text = render(_order(question=question, note=note), LENGTHS).html

    for ours in ("h3", "p", "br"):
        text = text.replace(f"<{ours}>", "").replace(f"</{ours}>", "")
    assert "<" not in text
    assert ">" not in text


@given(ANY_TEXT)
def test_no_line_of_a_customer_begins_a_line(text: str) -> None:
    plain = render(_order(question=text, note=text), LENGTHS).plain

    words = {value for value in vars_of_headings() if value}
    assert all(not line or line.startswith("  ") or line in words or "截断" in line for line in plain.split("\n"))


def vars_of_headings() -> set[str]:
    zh = BUILT_IN["zh"].headings
    return {zh.question, zh.note, zh.refusal, zh.origin, zh.answer}


@given(ANY_TEXT)
def test_what_is_inert_stays_as_it_is(text: str) -> None:
    assert inert(inert(text)) == inert(text)


@pytest.mark.parametrize("payload", ["{{ticket.id}}", "{% raw %}", "${jndi:x}", "<%= 1 %>", "{{{x}}}", "#{x}{{"])
def test_placeholders_are_broken(payload: str) -> None:
    for opening in ("{{", "{%", "${", "<%"):
        assert opening not in inert(payload)


def test_what_hides_or_reorders_text_is_taken_out() -> None:
    assert one_line("a\u202eb\u0000c\u2028d\r\n\te") == "abcd e"


@given(st.text(alphabet="<>&é退", min_size=1, max_size=9_000), st.integers(300, 3_000))
def test_a_long_ticket_keeps_its_length_and_whole_references(question: str, length: int) -> None:
    text = render(_order(question=question, note=question), Lengths(subject=190, body=length))

    assert max(len(text.plain), len(text.html)) <= length
    assert html.unescape(text.html).count("&lt") == 0


@pytest.mark.parametrize("size", [len, bytes_of])
def test_of_a_conversation_that_is_too_long_the_beginning_stays(size: Callable[[str], int]) -> None:
    turns = tuple(TranscriptTurn(question=f"问题 {number}", answer="答", asked_at=MOMENT) for number in range(500))

    text = render(_order(transcript=turns), Lengths(subject=190, body=5_000, size=size))

    for written in (text.plain, text.html):
        assert 4_700 < size(written) <= 5_000
        assert "问题 0" in written
        assert "截断" in written


def test_a_refusal_says_why() -> None:
    text = render(_order(refused=True, reason_code="HUMAN_REQUESTED", refusal_reason="您可以联系人工。"), LENGTHS)

    assert "HUMAN_REQUESTED 您可以联系人工。" in text.plain


def test_the_same_order_is_written_the_same_way() -> None:
    first, second = (render(_order(requested_at=MOMENT), LENGTHS) for _ in range(2))

    assert first == second


def test_a_template_chooses_order_and_words_and_adds_its_own_paragraphs() -> None:
    template = TemplateFile.model_validate(
        {"zh": {"sections": ["origin", "question"], "headings": {"question": "顾客说"}, "opening": "<b>急</b>"}}
    ).template("zh")

    text = render(_order(note="请快"), LENGTHS, template=template)

    assert text.plain.startswith("  <b>急</b>\n\n来源")
    assert text.plain.index("来源") < text.plain.index("顾客说\n  能退吗？")
    assert "请快" not in text.plain
    assert "&lt;b&gt;急" in text.html


@given(ANY_TEXT)
def test_what_a_customer_wrote_is_a_value_in_any_template(text: str) -> None:
    template = TemplateFile.model_validate({"zh": {"closing": "{question} $question"}}).template("zh")

    rendered = render(_order(question=text), LENGTHS, template=template)

    assert rendered.plain.rstrip().endswith("{question} $question")
