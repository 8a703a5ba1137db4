from dataclasses import replace

import pytest
from pydantic import ValidationError

from contracts.reasons import Handoff, RefusalReason
from knowledge.evaluation.golden import Evidence, Golden, read_golden
from knowledge.evaluation.observed import Observed, ObservedCitation, ObservedPart
from knowledge.evaluation.scoring import Library, Score, overlaps, score

pytestmark = pytest.mark.unit

QUOTE = "Unused vouchers are refunded within 14 days."
LIBRARY = Library(
    revisions={("shop/vouchers", 2): ("Vouchers", "2"), ("shop/vouchers", 1): ("Vouchers", "1")},
    not_in_force=frozenset({("Vouchers", "1")}),
)


def golden(*routes: str, **changes: object) -> Golden:
    row = Golden(
        id="g-1",
        lang="en",
        category="answerable",
        scope="shop",
        question="When are vouchers refunded?",
        acceptable_routes=routes or ("answer",),
        must_include_any=(("14 days", "fourteen days"),),
        must_not_include=("30 days",),
        evidence=(Evidence(doc_id="shop/vouchers", version=2, quote=QUOTE),),
    )
    return row.model_copy(update=changes)


def answered(text: str = QUOTE, **changes: str | None) -> Observed:
    citation = ObservedCitation(index=1, title="Vouchers", revision="2", quote=QUOTE, passage=f"# Vouchers\n\n{QUOTE}")
    return Observed(
        failure=None,
        refused=False,
        reason=None,
        handoff="none",
        answer=text,
        parts=(ObservedPart("statement", text, (1,)),),
        citations=(replace(citation, **changes),),
        seconds=0.1,
    )


def refused(reason: RefusalReason, handoff: Handoff = "offered") -> Observed:
    return Observed(
        failure=None,
        refused=True,
        reason=reason,
        handoff=handoff,
        answer="",
        parts=(),
        citations=(),
        seconds=0.1,
    )


def scored(row: Golden, observed: Observed) -> Score:
    return score(row, observed, library=LIBRARY, claim_overlap=0.6)


@pytest.mark.parametrize(
    ("routes", "observed", "right"),
    [
        (("answer",), answered(), True),
        (("answer",), refused(RefusalReason.NO_AUTHORIZED_EVIDENCE), False),
        (("refuse:MISSING_BUSINESS_FACT",), refused(RefusalReason.MISSING_BUSINESS_FACT), True),
        (("refuse:MISSING_BUSINESS_FACT",), refused(RefusalReason.CONFLICTING_POLICY), False),
        (("refuse:CONFLICTING_POLICY", "answer"), answered(), True),
        (("escalate",), refused(RefusalReason.ESCALATION_TOPIC, "required"), True),
        (("escalate",), refused(RefusalReason.ESCALATION_TOPIC, "offered"), False),
        (("escalate",), refused(RefusalReason.NO_AUTHORIZED_EVIDENCE, "required"), True),
        (("answer",), replace(answered(), failure="KNOWLEDGE_TIMEOUT"), False),
    ],
)
def test_the_route_is_right_when_it_is_acceptable(routes: tuple[str, ...], observed: Observed, *, right: bool) -> None:
    assert scored(golden(*routes), observed).route_right is right


@pytest.mark.parametrize(
    ("row", "observed", "wrong_because"),
    [
        (golden(), answered(), ()),
        (golden(), answered("Refunded within FOURTEEN DAYS."), ()),
        (golden(), answered("Vouchers are refunded."), ("says none of 14 days, fourteen days",)),
        (golden(), answered("Refunded within 14 days or 30 days."), ("says 30 days",)),
        (golden(), answered(title="Gifts"), ("the golden evidence is not cited",)),
        (golden(), answered(revision="1"), ("the golden evidence is not cited",)),
        (golden(), answered(quote="Gift cards never expire at all."), ("the golden evidence is not cited",)),
        (golden("escalate"), answered(), ("an answer is not acceptable",)),
        (golden(evidence=()), answered(title="Gifts"), ()),
        (golden("escalate"), refused(RefusalReason.ESCALATION_TOPIC, "required"), ()),
    ],
)
def test_why_an_answer_is_wrong(row: Golden, observed: Observed, wrong_because: tuple[str, ...]) -> None:
    assert scored(row, observed).wrong_because == wrong_because


@pytest.mark.parametrize(
    ("text", "unsupported"),
    [
        (QUOTE, 0),
        ("Unused  vouchers are\nrefunded within 14 days.", 0),
        ("Unused vouchers are refunded within 15 days.", 1),
        ("Your complaint will be looked at by our lawyers.", 1),
    ],
)
def test_a_claim_its_quotes_do_not_carry_is_unsupported(text: str, unsupported: int) -> None:
    assert len(scored(golden(), answered(text)).unsupported_claims) == unsupported


def test_a_claim_without_a_citation_is_unsupported() -> None:
    observed = replace(answered(), parts=(ObservedPart("statement", QUOTE, ()),))

    assert scored(golden(), observed).unsupported_claims == (QUOTE,)


def test_our_own_templates_are_no_claims() -> None:
    observed = replace(answered(), parts=(ObservedPart("template", "This is what we found:", ()),))

    assert (scored(golden(), observed).claims, scored(golden(), observed).unsupported_claims) == (0, ())


@pytest.mark.parametrize(
    ("passage", "verbatim"), [(f"x {QUOTE} y", 1), (QUOTE.replace("14", "15"), 0), (None, 0), ("", 0)]
)
def test_a_quote_counts_as_verbatim_only_in_its_passage(passage: str | None, verbatim: int) -> None:
    assert scored(golden(), answered(passage=passage)).quotes_verbatim == verbatim


@pytest.mark.parametrize(("revision", "stale"), [("2", 0), ("1", 1)])
def test_a_citation_of_a_revision_not_in_force_is_stale(revision: str, stale: int) -> None:
    assert scored(golden(), answered(revision=revision)).stale_citations == stale


@pytest.mark.parametrize(
    ("routes", "needless"), [(("answer",), True), (("answer", "escalate"), False), (("escalate",), False)]
)
def test_a_refusal_is_needless_where_only_an_answer_passes(routes: tuple[str, ...], *, needless: bool) -> None:
    observed = refused(RefusalReason.NO_AUTHORIZED_EVIDENCE)

    assert scored(golden(*routes), observed).needless_refusal is needless


def test_a_failure_is_neither_answer_nor_refusal() -> None:
    result = scored(golden(), replace(refused(RefusalReason.HUMAN_REQUESTED), failure="INTERNAL", refused=False))

    assert (result.needless_refusal, result.wrong_because, result.evidence_hit) == (False, (), None)


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        ("Write to [us](mailto:us@shop.example) within 14 days.", "Write to us within 14 days.", True),
        ("收货后七日内可以退货。", "**收货后七日内可以退货。**定作的商品除外。", True),
        ("Unused vouchers are refunded.", "Shipping takes three days.", False),
        ("", "Shipping takes three days.", False),
    ],
)
def test_quotes_overlap_when_they_share_half_of_the_shorter_one(one: str, other: str, *, together: bool) -> None:
    assert overlaps(one, other) is together


@pytest.mark.parametrize(
    "line",
    [
        "{}",
        '{"id": "g", "lang": "en", "category": "c", "scope": null, "question": "q", "acceptable_routes": []}',
        '{"id": "g", "lang": "en", "category": "c", "scope": null, "question": "q", "acceptable_routes": ["refuse:X"]}',
    ],
)
def test_a_malformed_golden_row_is_refused(line: str) -> None:
    with pytest.raises(ValidationError):
        read_golden(line)
