"""What a second model is shown, how its reply is read, and which answers are drawn."""

import json
from datetime import timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.answers import CitationView, Outcome, Part
from knowledge.answering.log import LoggedCitation
from knowledge.checking.judging import (
    Checkable,
    Claim,
    GarbledJudgementError,
    Judgement,
    claims_of,
    make_prompt,
    read_judgements,
)
from knowledge.checking.sampling import is_sampled, wait_after
from tests.support.answering import NOON

pytestmark = pytest.mark.unit

_CITATION = LoggedCitation(
    view=CitationView(
        index=1, title="Title", section="Section", revision="2026-01", effective_from=None, effective_to=None,
        updated_at=NOON, quote="茶壶可以在九天内退回。", detail_url="/v1/attempts/att_1/citations/1", source_url=None,
    ),
    passage_id=UUID(int=7), start=0, end=11,
)  # fmt: skip
_OUTCOME = Outcome(
    answer="", coverage="partial", refused=False, refusal_reason=None, reason_code=None, missing_facts=(),
    handoff="none", suggestions=(),
    parts=(
        Part(kind="template", text="As of today.\n", citations=(), question_part=None),
        Part(kind="statement", text="茶壶可以在九天内退回。九天从收到算起。", citations=(1,), question_part=None),
        Part(kind="not_covered", text="没有找到。", citations=(), question_part="运费呢？"),
    ),
)  # fmt: skip


def test_a_claim_is_a_sentence_of_a_statement_with_its_quotes() -> None:
    quotes = ("茶壶可以在九天内退回。",)

    assert claims_of(_OUTCOME, [_CITATION]) == (
        Claim(2, "茶壶可以在九天内退回。", quotes),
        Claim(2, "九天从收到算起。", quotes),
    )


def test_a_second_model_sees_question_claims_and_quotes_and_nothing_else() -> None:
    claims = claims_of(_OUTCOME, [_CITATION])

    document = json.loads(make_prompt(Checkable(attempt_id=UUID(int=1), question="能退吗？", claims=claims)).document)

    assert document == {
        "question": "能退吗？",
        "claims": [
            {"claim": number, "text": claim.text, "quotes": list(claim.quotes)}
            for number, claim in enumerate(claims, start=1)
        ],
    }


def test_judgements_are_read_in_order() -> None:
    reply = '{"claims": [{"claim": 1, "supported": true, "reason": "quoted"}, {"claim": 2, "supported": false}]}'

    assert read_judgements(reply, claims=2) == (Judgement(True, "quoted"), Judgement(False, ""))


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "Yes.",
        "[]",
        '{"claims": []}',
        '{"claims": [{"claim": 1, "supported": true}]}',
        '{"claims": [{"claim": 2, "supported": true}, {"claim": 1, "supported": true}]}',
        '{"claims": [{"claim": 1, "supported": true}, {"claim": 1, "supported": true}]}',
        '{"claims": [{"claim": 1, "supported": "yes"}, {"claim": 2, "supported": true}]}',
        '{"claims": [{"claim": 1}, {"claim": 2, "supported": true}]}',
    ],
)
def test_a_reply_of_another_form_is_no_judgement(reply: str) -> None:
    with pytest.raises(GarbledJudgementError):
        read_judgements(reply, claims=2)


@given(st.text())
def test_no_reply_breaks_more_than_its_check(reply: str) -> None:
    with pytest.raises(GarbledJudgementError):
        read_judgements(reply, claims=3)


def test_a_reason_is_kept_short_and_storable() -> None:
    reply = json.dumps({"claims": [{"claim": 1, "supported": False, "reason": "\0" + "x" * 999}]})

    (said,) = read_judgements(reply, claims=1)

    assert said.reason is not None
    assert len(said.reason) == 300
    assert "\0" not in said.reason


@pytest.mark.parametrize(("rate", "least", "most"), [(0, 0, 0), (0.1, 60, 140), (1, 1_000, 1_000)])
def test_a_share_of_the_answers_is_drawn(rate: float, least: int, most: int) -> None:
    drawn = sum(is_sampled(UUID(int=number), rate) for number in range(1_000))

    assert least <= drawn <= most


@given(st.uuids(), st.floats(0, 1), st.floats(0, 1))
def test_a_higher_rate_keeps_what_was_drawn(attempt_id: UUID, one: float, other: float) -> None:
    assert is_sampled(attempt_id, min(one, other)) <= is_sampled(attempt_id, max(one, other))


@pytest.mark.parametrize(
    ("tries", "wait"), [(1, timedelta(minutes=1)), (2, timedelta(minutes=10)), (3, None), (4, None)]
)
def test_a_check_is_tried_three_times(tries: int, wait: timedelta | None) -> None:
    assert wait_after(tries) == wait
