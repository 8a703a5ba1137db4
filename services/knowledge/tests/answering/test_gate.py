"""The gate decides per part what may be answered, and refuses with the reason that helps most."""

from dataclasses import replace

import pytest

from contracts.reasons import EvidenceStrength, RefusalCause, RefusalReason
from knowledge.answering.gate import judge
from knowledge.answering.judgement import Facts, Gate, Searched
from knowledge.answering.question_parts import QuestionPart
from knowledge.retrieval.passage import Passage
from knowledge.versions.conflicts import KnownConflict
from knowledge.versions.routing_policy import Thresholds
from tests.support.answering import make_context, make_passage, make_policy

QUESTION = "茶壶几天内可以退？"
RULE = "茶壶可以在九天内退回。"


def searched(*passages: Passage, question: str = QUESTION, strength: EvidenceStrength = "high") -> Searched:
    context = make_context(*passages, question=question, strength=strength)
    return Searched(part=QuestionPart(question, question), context=context)


def gate_of(*parts: Searched, signed: dict[str, str] | None = None, typed: dict[str, str] | None = None) -> Gate:
    return judge(parts, policy=make_policy(), facts=Facts(signed=signed or {}, typed=typed or {}))


@pytest.mark.parametrize(
    ("strength", "cause"),
    [("low", RefusalCause.BELOW_THRESHOLD), ("medium", RefusalCause.BELOW_THRESHOLD), ("high", None)],
)
def test_only_the_strong_band_answers_by_itself(strength: EvidenceStrength, cause: RefusalCause | None) -> None:
    question = "茶壶可以刻字吗？"
    gate = gate_of(searched(make_passage("茶壶可以刻字。", about=question), question=question, strength=strength))

    assert gate.strength == strength
    assert (gate.refusal.cause if gate.refusal else None) == cause


@pytest.mark.parametrize(
    ("strength", "rule", "is_answered"),
    [
        ("medium", RULE, True),
        ("medium", "茶壶可以退回，九天内送达。", False),
        ("medium", "茶壶可以退回。", False),
        ("low", RULE, False),
    ],
)
def test_the_middle_band_answers_what_is_said_of_the_very_act(
    strength: EvidenceStrength,
    rule: str,
    is_answered: bool,  # noqa: FBT001 - a table
) -> None:
    gate = gate_of(searched(make_passage(rule, about=QUESTION), strength=strength))

    assert (gate.refusal is None) == is_answered


def test_nothing_retrieved_is_no_evidence() -> None:
    refusal = gate_of(searched()).refusal

    assert refusal is not None
    assert (refusal.reason, refusal.cause) == (
        RefusalReason.NO_AUTHORIZED_EVIDENCE,
        RefusalCause.NOTHING_RETRIEVED,
    )


def test_a_passage_on_the_topic_without_the_fact_asked_for_is_no_answer() -> None:
    gate = gate_of(searched(make_passage("茶壶可以退回，但须保持完好。", about=QUESTION)))

    assert gate.refusal is not None
    assert gate.parts[0].lacking == "duration"
    assert gate.strength == "medium"


def test_the_sentence_that_holds_the_fact_asked_for_is_found_beside_one_that_speaks_of_it() -> None:
    near = "茶壶可以退，几天内退都要保持完好。"
    passage = make_passage(f"{near}退茶壶在九天内提出。", about=QUESTION)

    assert gate_of(searched(passage)).refusal is None
    assert gate_of(searched(make_passage(f"{near}办公室在九天内搬迁。", about=QUESTION))).refusal is not None


def test_what_carries_too_little_of_the_question_is_no_answer_where_words_are_asked_for() -> None:
    strict = make_policy().model_copy(update={"thresholds": Thresholds(covered=0.6)})
    near, answer = make_passage("退换区九天内上架。", about=QUESTION), make_passage(RULE, about=QUESTION)
    abroad = make_passage("Teapots go back within nine days.", language="en", about=QUESTION)
    headed = make_passage("九天。", heading=QUESTION, about=QUESTION)

    def lacking(passage: Passage) -> str | None:
        return judge([searched(passage)], policy=strict, facts=Facts(signed={}, typed={})).parts[0].lacking

    assert lacking(near) == "words of the question"
    assert [lacking(passage) for passage in (answer, abroad, headed)] == [None, None, None]
    assert gate_of(searched(near)).refusal is None


def test_another_language_answers_from_the_middle_band_when_it_holds_the_fact_asked_for() -> None:
    dated = make_passage("Teapots go back within nine days.", language="en", about=QUESTION)
    undated = make_passage("Teapots go back in one piece.", language="en", about=QUESTION)

    assert gate_of(searched(dated, strength="medium")).refusal is None
    assert gate_of(searched(undated, strength="medium")).refusal is not None
    assert gate_of(searched(dated, strength="low")).refusal is not None


def test_another_language_is_not_confirmed_by_a_fact_without_a_measure() -> None:
    question = "楼下的花园收费吗？"
    charged = make_passage("The garden of the house costs the price of a cup.", language="en", about=question)

    assert gate_of(searched(charged, question=question)).refusal is None
    assert gate_of(searched(charged, question=question, strength="medium")).refusal is not None


def test_a_fact_the_rule_needs_is_missing_until_it_is_signed() -> None:
    passage = make_passage(RULE, about=QUESTION, requires_facts=("orderStatus",))

    missing = gate_of(searched(passage)).refusal
    assert missing is not None
    assert (missing.reason, missing.missing_facts) == (RefusalReason.MISSING_BUSINESS_FACT, ("orderStatus",))
    signed = gate_of(searched(passage), signed={"orderStatus": "sent"})
    assert (signed.refusal, signed.parts[0].evidence.conditional) == (None, False)
    typed = gate_of(searched(passage), typed={"orderStatus": "sent"})
    assert (typed.refusal, typed.parts[0].evidence.conditional) == (None, True)


def test_a_rule_that_a_person_decides_is_not_answered() -> None:
    refusal = gate_of(searched(make_passage(RULE, about=QUESTION, decision="human"))).refusal

    assert refusal is not None
    assert refusal.reason is RefusalReason.HUMAN_DECISION_REQUIRED


def test_one_covered_part_makes_an_answer() -> None:
    gate = gate_of(searched(make_passage(RULE, about=QUESTION)), searched(question="谁送货？"))

    assert gate.refusal is None
    assert [bool(part.evidence.found) for part in gate.parts] == [True, False]


def test_a_sentence_that_is_known_to_disagree_is_a_conflict() -> None:
    one = make_passage("茶壶的退货期限是九天。先看清条款。", document="a", heading="退货期限", about=QUESTION)
    other = make_passage("茶壶的退货期限是五天。", document="b", heading="退货期限", about=QUESTION)
    quoted = one.sentences[0]
    known = KnownConflict(
        passage_id=one.passage_id,
        start=quoted.start,
        end=quoted.end,
        other_passage_id=other.passage_id,
        other_sentence=other.text,
    )

    refusal = gate_of(knowing(known, one, other)).refusal
    assert refusal is not None
    assert refusal.reason is RefusalReason.CONFLICTING_POLICY
    assert gate_of(searched(one, other)).refusal is None
    elsewhere = replace(known, start=quoted.end, end=len(one.text))
    assert gate_of(knowing(elsewhere, one, other)).refusal is None


def knowing(known: KnownConflict, *passages: Passage) -> Searched:
    found = searched(*passages)
    return replace(found, context=replace(found.context, conflicts=(known,)))


def test_across_languages_the_passage_whose_sentence_speaks_best_answers() -> None:
    question = "How many days may a return take?"
    near = make_passage("商品可以在三十天内换货。", document="near")
    right = make_passage("商品可以在七天内退货。", document="right")
    speaking = replace(right, sentences=tuple(replace(each, similarity=0.6) for each in right.sentences))
    found = make_context(near, speaking, question=question)
    gate = judge(
        [Searched(part=QuestionPart(question, question), context=found)],
        policy=make_policy(),
        facts=Facts(signed={}, typed={}),
    )

    assert gate.parts[0].evidence.found[0].passage.document == "right"
