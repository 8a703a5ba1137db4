"""A draft passes whole or not at all, and every fault is named."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest

from contracts.reasons import RefusalReason
from knowledge.answering.draft import Brief, Draft, DraftCitation, DraftPart
from knowledge.retrieval.passage import Found, Passage, PolicyContext, Scores
from knowledge.validation import validator
from knowledge.validation.claims import ClaimFault
from knowledge.validation.validator import Agree, validate
from knowledge.validation.verdict import FaultCode, Verdict
from knowledge.versions.routing_policy import Bounds

RETURNS = (
    "Unworn shoes can be sent back within 30 days.  The buyer pays\nthe return parcel. Sandals are never refunded."
)
POINTS = "会员积分每年年底清零。积分可以兑换礼品。但是不能兑换现金。"
FOUND = "Found this:"
NOTHING = "Nothing found about {question_part}."
BACK = "Unworn shoes can be sent back within 30 days."
PAYS = "The buyer pays the return parcel."


def passage(number: int, text: str) -> Passage:
    return Passage(
        passage_id=UUID(int=number), document="doc", title="Doc", heading_path=(), revision="1", effective_from=None,
        effective_to=None, updated_at=datetime(2026, 1, 1, tzinfo=UTC), language="en", priority=0, text=text,
        applies_to=None, requires_facts=(), decision="rule", source_url=None, sentences=(),
    )  # fmt: skip


def brief(*parts: str) -> Brief:
    scores = Scores(bm25=1, bm25_share=1, cosine=1, best_sentence=1, fused=1)
    found = tuple(Found(passage=passage(n, text), scores=scores) for n, text in enumerate((RETURNS, POINTS), start=1))
    return Brief(
        question=" ".join(parts), question_parts=parts, language="en", handles=("shoes", "points"),
        context=PolicyContext(version=1, found=found, candidates=(), term_idf={}),
    )  # fmt: skip


def statement(text: str, *citations: int, answers: str | None = None) -> DraftPart:
    return DraftPart(kind="statement", text=text, citations=citations, question_part=answers)


def draft(citations: list[tuple[str, str]], *parts: DraftPart) -> Draft:
    listed = tuple(DraftCitation(handle, quote) for handle, quote in citations)
    return Draft(refusal=None, missing_facts=(), citations=listed, parts=parts, raw="")


def judge(proposal: Draft, *asked: str, bounds: Bounds | None = None) -> Verdict:
    return validate(
        proposal,
        brief=brief(*(asked or ("May I return shoes?",))),
        bounds=bounds or Bounds(),
        claim_overlap=0.6,
        templates=frozenset({FOUND, NOTHING}),
    )


def codes(verdict: Verdict) -> list[FaultCode]:
    assert (verdict.answer is None) == bool(verdict.faults)
    return [fault.code for fault in verdict.faults]


def test_verbatim_sentences_with_their_quotes_pass() -> None:
    verdict = judge(draft([("shoes", BACK), ("shoes", PAYS)], statement(BACK + " ", 1), statement(PAYS, 2)))

    assert codes(verdict) == []
    assert verdict.answer is not None
    assert verdict.answer.coverage == "full"
    assert verdict.answer.text == f"{BACK} {PAYS}"


def test_a_quote_is_given_back_as_it_stands_in_the_passage() -> None:
    verdict = judge(draft([("shoes", PAYS)], statement(PAYS, 1)))

    assert verdict.answer is not None
    citation = verdict.answer.citations[0]
    assert citation.quote == "The buyer pays\nthe return parcel."
    assert citation.quote == RETURNS[citation.start : citation.end]


@pytest.mark.parametrize(
    ("citations", "parts", "code"),
    [
        ([], [], FaultCode.EMPTY_DRAFT),
        ([], [DraftPart(kind="template", text=FOUND, citations=(), question_part=None)], FaultCode.EMPTY_DRAFT),
        ([("boots", BACK)], [statement(BACK, 1)], FaultCode.UNKNOWN_CITATION),
        ([("shoes", BACK)], [statement(BACK, 1, 2)], FaultCode.UNKNOWN_CITATION),
        ([("shoes", " \n")], [statement(BACK, 1)], FaultCode.EMPTY_QUOTE),
        ([("shoes", "30 days")], [statement(BACK, 1)], FaultCode.QUOTE_TOO_SHORT),
        ([("shoes", BACK.replace("30", "90"))], [statement(BACK, 1)], FaultCode.QUOTE_NOT_VERBATIM),
        ([("shoes", BACK.lower())], [statement(BACK, 1)], FaultCode.QUOTE_NOT_VERBATIM),
        ([("shoes", "Unworn shoes are never refunded.")], [statement(BACK, 1)], FaultCode.QUOTE_NOT_VERBATIM),
        (
            [("shoes", "worn shoes can be sent back within 30 days.")],
            [statement(BACK, 1)],
            FaultCode.QUOTE_NOT_VERBATIM,
        ),
        ([("shoes", "0 days. The buyer pays")], [statement(BACK, 1)], FaultCode.QUOTE_NOT_VERBATIM),
        ([("points", BACK)], [statement(BACK, 1)], FaultCode.MISATTRIBUTED),
        ([("shoes", BACK), ("shoes", BACK)], [statement(BACK, 1, 2)], FaultCode.DUPLICATE_CITATION),
        ([("shoes", BACK)], [statement(BACK, 1, 1)], FaultCode.DUPLICATE_CITATION),
        ([("shoes", BACK), ("shoes", PAYS)], [statement(BACK, 1)], FaultCode.UNUSED_CITATION),
        ([("shoes", PAYS), ("shoes", BACK)], [statement(BACK, 2), statement(PAYS, 1)], FaultCode.OUT_OF_ORDER),
        ([("shoes", BACK)], [statement(BACK, 1), statement(PAYS)], FaultCode.UNCITED_CLAIM),
        ([("shoes", BACK)], [statement(BACK + " [1]", 1)], FaultCode.MARKUP_IN_TEXT),
        ([("shoes", BACK)], [statement(BACK + "【1】", 1)], FaultCode.MARKUP_IN_TEXT),
        ([("shoes", BACK)], [statement(BACK + " (points)", 1)], FaultCode.MARKUP_IN_TEXT),
        ([("shoes", BACK)], [statement("<b>" + BACK, 1)], FaultCode.MARKUP_IN_TEXT),
        ([("shoes", BACK)], [statement("See https://x.example: " + BACK, 1)], FaultCode.MARKUP_IN_TEXT),
        (
            [("shoes", PAYS)],
            [statement("Delivery vans are painted blue every winter.", 1)],
            FaultCode.UNSUPPORTED_WORDS,
        ),
        (
            [("shoes", BACK)],
            [DraftPart(kind="template", text="Hello!", citations=(), question_part=None), statement(BACK, 1)],
            FaultCode.UNKNOWN_TEMPLATE,
        ),
        ([("shoes", BACK)], [statement(BACK, 1, answers="Who are you?")], FaultCode.PART_UNANSWERED),
    ],
)
def test_a_faulty_draft_is_rejected_for_its_reason(
    citations: list[tuple[str, str]], parts: list[DraftPart], code: FaultCode
) -> None:
    assert code in codes(judge(draft(citations, *parts)))


def test_a_quote_may_end_with_the_passage() -> None:
    last = "Sandals are never refunded."

    assert codes(judge(draft([("shoes", last[:-1])], statement(last[:-1], 1)))) == []
    assert codes(judge(draft([("shoes", last)], statement(last, 1)))) == []


def test_a_claim_leans_on_three_citations_at_most() -> None:
    quotes = [("shoes", BACK), ("shoes", PAYS)]

    verdict = judge(draft(quotes, statement(BACK, 1, 2)), bounds=Bounds(citations_per_claim=1))

    assert codes(verdict) == [FaultCode.TOO_MANY_CITATIONS]


def test_an_answer_lists_eight_citations_at_most() -> None:
    quotes = [("shoes", BACK), ("shoes", PAYS)]

    verdict = judge(draft(quotes, statement(BACK, 1), statement(PAYS, 2)), bounds=Bounds(citations_per_answer=1))

    assert codes(verdict) == [FaultCode.TOO_MANY_CITATIONS]


def test_a_quote_is_bounded() -> None:
    verdict = judge(draft([("shoes", BACK)], statement(BACK, 1)), bounds=Bounds(quote_characters=20))

    assert codes(verdict) == [FaultCode.QUOTE_TOO_LONG]


def test_a_claim_longer_than_its_quotes_may_be_is_not_even_read() -> None:
    verdict = judge(draft([("shoes", BACK)], statement("1 " * 5_000, 1)))

    assert codes(verdict) == [FaultCode.CLAIM_TOO_LONG]


def test_a_draft_with_more_statements_than_an_answer_may_have_is_not_even_read() -> None:
    verdict = judge(
        draft([("shoes", BACK), ("shoes", PAYS)], statement("Lies. ", 1), statement(PAYS, 2)),
        bounds=Bounds(statements_per_answer=1),
    )

    assert codes(verdict) == [FaultCode.TOO_MANY_STATEMENTS]


def test_what_was_just_said_is_not_said_again() -> None:
    verdict = judge(draft([("shoes", BACK)], statement(BACK + "  ", 1), statement(BACK, 1)))

    assert codes(verdict) == [FaultCode.REPEATED_STATEMENT]


def test_the_same_words_may_stand_under_another_lead_in_and_for_another_part() -> None:
    asked = ("May I return shoes?", "And who pays?")
    apart = draft([("shoes", BACK), ("shoes", PAYS)], statement(BACK, 1), statement(PAYS, 2), statement(BACK, 1))
    each = draft([("shoes", BACK)], *(statement(BACK, 1, answers=part) for part in asked))

    assert codes(judge(apart)) == []
    assert codes(judge(each, *asked)) == []


def test_a_claim_of_a_growing_draft_is_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    said = [f"Unworn shoes can be sent back within 30 days{' please' * more}. " for more in range(1, 9)]
    read: list[str] = []

    def counting(claim: str, *_quotes: tuple[str, ...], **_how: float | None) -> tuple[ClaimFault, ...]:
        read.append(claim)
        return ()

    monkeypatch.setattr(validator, "check_claim", counting)
    for end in range(1, len(said) + 1):
        judge(draft([("shoes", BACK)], *(statement(each, 1) for each in said[:end])))

    assert read == [each.strip() for each in said]


def test_every_question_part_is_answered_or_marked() -> None:
    asked = ("May I return shoes?", "Who sews them?")
    half = draft([("shoes", BACK)], statement(BACK, 1, answers=asked[0]))
    text = NOTHING.replace("{question_part}", asked[1])
    marked = DraftPart(kind="not_covered", text=text, citations=(), question_part=asked[1])

    assert codes(judge(half, *asked)) == [FaultCode.PART_UNANSWERED]
    whole = judge(draft([("shoes", BACK)], *half.parts, marked), *asked)
    assert codes(whole) == []
    assert whole.answer is not None
    assert whole.answer.coverage == "partial"


def test_a_refusal_is_no_answer() -> None:
    refusal = Draft(
        refusal=RefusalReason.NO_AUTHORIZED_EVIDENCE, missing_facts=(), citations=(), parts=(), raw=""
    )  # fmt: skip

    assert codes(judge(refusal)) == [FaultCode.EMPTY_DRAFT]


def test_all_faults_of_a_draft_are_named_with_their_places() -> None:
    proposal = draft([("boots", BACK), ("shoes", "")], statement(BACK, 1), statement(PAYS))

    faults = {(fault.code, fault.part, fault.citation) for fault in judge(proposal).faults}

    assert (FaultCode.UNKNOWN_CITATION, None, 1) in faults
    assert (FaultCode.EMPTY_QUOTE, None, 2) in faults
    assert (FaultCode.UNUSED_CITATION, None, 2) in faults
    assert (FaultCode.UNCITED_CLAIM, 2, None) in faults


LIMITED = "积分可以兑换礼品。"
LIMIT = "但是不能兑换现金。"


def test_a_rule_without_the_sentence_that_limits_it_is_rejected() -> None:
    verdict = judge(draft([("points", LIMITED)], statement(LIMITED, 1)))

    assert codes(verdict) == [FaultCode.CONDITION_DROPPED]


@pytest.mark.parametrize(
    "proposal",
    [
        draft([("points", LIMITED), ("points", LIMIT)], statement(LIMITED, 1), statement(LIMIT, 2)),
        draft([("points", LIMITED + LIMIT)], statement(LIMITED + LIMIT, 1)),
        draft([("points", LIMITED), ("points", LIMIT)], statement("积分可以兑换礼品，但是不能兑换现金。", 1, 2)),
    ],
)
def test_a_rule_with_the_sentence_that_limits_it_passes(proposal: Draft) -> None:
    assert codes(judge(proposal)) == []


@pytest.mark.parametrize(
    ("handle", "quote"),
    [("points", "兑换现金。"), ("shoes", "refunded."), ("shoes", "can be sent back within 30 days.")],
)
def test_a_quote_cut_out_of_its_sentence_is_judged_by_the_whole_sentence(handle: str, quote: str) -> None:
    verdict = judge(draft([(handle, quote)], statement(quote, 1)))

    cut_harmlessly = quote.startswith("can be")
    assert (verdict.answer is not None) == cut_harmlessly


def test_a_claim_in_another_language_needs_the_embedders_agreement() -> None:
    proposal = draft([("shoes", BACK)], statement("没穿过的鞋子可以在30天内寄回。", 1))

    def verdict_with(agree: Agree | None) -> Verdict:
        return validate(
            proposal, brief=brief("能退吗？"), bounds=Bounds(), claim_overlap=0.5, templates=frozenset(), agree=agree
        )

    assert codes(verdict_with(None)) == [FaultCode.UNSUPPORTED_WORDS]
    assert codes(verdict_with(lambda _claim, _quotes: 0.2)) == [FaultCode.UNSUPPORTED_WORDS]
    assert codes(verdict_with(lambda _claim, _quotes: 0.7)) == []


def test_a_question_of_the_policy_may_stand_before_its_answer() -> None:
    text = "Are boots refunded? Boots are refunded within a week."
    asked = replace(
        brief("Are boots refunded?"),
        handles=("faq",),
        context=replace(brief("?").context, found=(replace(brief("?").context.found[0], passage=passage(9, text)),)),
    )

    def faults_of(said: str, quote: str) -> list[FaultCode]:
        verdict = validate(
            draft([("faq", quote)], statement(said, 1)),
            brief=asked, bounds=Bounds(), claim_overlap=0.2, templates=frozenset(),
        )  # fmt: skip
        return codes(verdict)

    assert faults_of(text, text) == []
    assert faults_of("Are boots refunded? They are refunded within a week.", "Boots are refunded within a week.") == [
        FaultCode.NOT_A_STATEMENT
    ]
