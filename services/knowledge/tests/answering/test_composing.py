"""The extractive writer quotes, orders and introduces; it writes no word of its own."""

from hypothesis import given
from hypothesis import strategies as st

from contracts.reasons import Language, RefusalReason
from knowledge.answering.briefing import make_brief
from knowledge.answering.composing import compose
from knowledge.answering.draft import Brief, Draft, PartEvidence
from knowledge.answering.templates import ABOUT, LEAD_INS, NOT_COVERED, TEMPLATES
from knowledge.retrieval.passage import Passage
from knowledge.validation.validator import validate
from knowledge.versions.routing_policy import Bounds
from tests.support.answering import counting_handles, make_context, make_passage

RETURNS = "未拆封的茶壶可以在九天内退回。但刻字的除外。运费由买家承担。"
LIST = "Not returned:\n- used stamps;\n- torn envelopes."


def brief_of(*parts: tuple[str, tuple[Passage, ...]], language: Language = "zh", conditional: bool = False) -> Brief:
    question = " ".join(text for text, _ in parts)
    passages = tuple(dict.fromkeys(passage for _, found in parts for passage in found))
    context = make_context(*passages, question=question)
    evidence = tuple(
        PartEvidence(
            question_part=text,
            searched=text,
            found=make_context(*found, question=text).found,
            conditional=conditional,
        )
        for text, found in parts
    )
    return make_brief(question, language=language, context=context, evidence=evidence, new_handle=counting_handles())


def stated(draft: Draft) -> list[str]:
    return [part.text.strip() for part in draft.parts if part.kind == "statement"]


def test_a_rule_is_quoted_with_its_exception() -> None:
    passage = make_passage(RETURNS, about="茶壶几天内可以退")

    draft = compose(brief_of(("茶壶几天内可以退？", (passage,))), bounds=Bounds())

    assert stated(draft)[:2] == ["未拆封的茶壶可以在九天内退回。", "但刻字的除外。"]
    assert draft.parts[0].text.strip() == LEAD_INS["same", "zh"]


def test_a_led_in_list_is_quoted_whole() -> None:
    passage = make_passage(LIST, language="en", about="what is not returned")

    draft = compose(brief_of(("What is not returned?", (passage,)), language="en"), bounds=Bounds())

    assert stated(draft) == ["Not returned:", "- used stamps;", "- torn envelopes."]


def test_what_a_policy_says_twice_in_a_row_is_said_once() -> None:
    passage = make_passage("茶壶可以在九天内退回。茶壶可以在九天内退回。运费由买家承担。", about="茶壶几天内可以退")
    brief = brief_of(("茶壶几天内可以退？", (passage,)))

    draft = compose(brief, bounds=Bounds())

    assert stated(draft).count("茶壶可以在九天内退回。") == 1


def test_a_list_without_room_is_not_cut_in_the_middle() -> None:
    items = "\n".join(f"- stamp {number};" for number in range(12))
    passage = make_passage(f"These are not returned:\n{items}", language="en", about="not returned")

    draft = compose(brief_of(("What is not returned?", (passage,)), language="en"), bounds=Bounds())

    assert len(stated(draft)) <= 4


def test_the_document_s_language_is_announced() -> None:
    passage = make_passage("Stamps are refunded within 9 days.", language="en", about="stamps")

    draft = compose(brief_of(("邮票能退吗？", (passage,))), bounds=Bounds())

    assert [part.text.strip() for part in draft.parts] == [
        LEAD_INS["other_language", "zh"],
        "Stamps are refunded within 9 days.",
    ]


def test_an_unsigned_fact_is_announced() -> None:
    passage = make_passage("未发货的订单可以取消。", about="取消订单")

    draft = compose(brief_of(("能取消订单吗？", (passage,)), conditional=True), bounds=Bounds())

    assert draft.parts[0].text.strip() == LEAD_INS["conditional", "zh"]


def test_a_part_without_evidence_is_named() -> None:
    passage = make_passage(RETURNS, about="茶壶")

    draft = compose(brief_of(("茶壶能退吗", (passage,)), ("谁送货？", ())), bounds=Bounds())

    assert draft.parts[-1].kind == "not_covered"
    assert draft.parts[-1].text == NOT_COVERED["zh"].replace("{question_part}", "谁送货？")
    assert ABOUT["zh"].replace("{question_part}", "茶壶能退吗") in [part.text.strip() for part in draft.parts]


def test_nothing_to_quote_is_a_refusal() -> None:
    draft = compose(brief_of(("谁送货？", ())), bounds=Bounds())

    assert (draft.refusal, draft.parts) == (RefusalReason.NO_AUTHORIZED_EVIDENCE, ())


def test_a_sentence_two_parts_share_is_one_citation() -> None:
    passage = make_passage("茶壶可以在九天内退回。", about="茶壶")

    draft = compose(brief_of(("茶壶能退吗", (passage,)), ("几天内退？", (passage,))), bounds=Bounds())

    assert len(draft.citations) == 1
    assert [part.citations for part in draft.parts if part.kind == "statement"] == [(1,), (1,)]


def test_a_sentence_too_long_to_quote_is_left_out() -> None:
    passage = make_passage("茶壶" * 400 + "。邮票可以退。", about="邮票")

    draft = compose(brief_of(("邮票能退吗？", (passage,))), bounds=Bounds())

    assert stated(draft) == ["邮票可以退。"]


PIECES = st.sampled_from(
    ["茶壶可以退。", "但刻字的除外。", "\n- 邮票；", "\n- 信封。", "下列物品不退：", "\n\n", "Stamps cost 3 dollars. ", "However, used ones do not. ",
     "\n| a | b |", "\n|---|---|", "\n| 1 | 2 |", "\n1. 打包。", "\n## 标题\n", "é\u0301x. ", "不适用。"]
)  # fmt: skip


@given(
    st.lists(PIECES, min_size=1, max_size=12).map("".join), st.text(alphabet="茶壶邮票退ab？ ", min_size=1, max_size=8)
)
def test_every_statement_is_verbatim_and_passes_the_validator(text: str, question: str) -> None:
    passage = make_passage(text, about=question)
    brief = brief_of((question.strip() or "a", (passage,)))

    draft = compose(brief, bounds=Bounds())

    assert compose(brief, bounds=Bounds()) == draft
    assert all(sentence in text for sentence in stated(draft))
    assert all(cited.quote in text for cited in draft.citations)
    if draft.refusal is None:
        verdict = validate(draft, brief=brief, bounds=Bounds(), claim_overlap=0.6, templates=TEMPLATES)
        assert verdict.faults == ()


def test_another_passage_that_speaks_as_well_is_quoted_too() -> None:
    first = make_passage("茶壶要保持完好。", document="a", about="茶壶几天内可以退")
    second = make_passage("茶壶在九天内可以退。盒子不退。", document="b", about="茶壶几天内可以退")

    draft = compose(brief_of(("茶壶几天内可以退？", (first, second))), bounds=Bounds())

    assert stated(draft) == ["茶壶要保持完好。", "茶壶在九天内可以退。"]
    assert [cited.handle for cited in draft.citations] == ["h1", "h2"]
