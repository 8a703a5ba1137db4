"""The demo's own questions take the path their author expects."""

import json
from typing import Any

import pytest

from contracts.customer import Attempt
from contracts.reasons import RefusalReason
from tests.support.customer import Customer
from youju.home import CHECKOUT

pytestmark = pytest.mark.journey

ROWS: list[dict[str, Any]] = [  # rows of a JSONL file, whose lists and texts differ by key
    json.loads(line)
    for line in (CHECKOUT / "examples" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    if line
]


GUESTS_ROWS = [row for row in ROWS if row["segments"] == ["public"]]


def route_of(attempt: Attempt) -> str:
    if not attempt.refused:
        return "answer"
    return "escalate" if attempt.handoff == "required" else "refuse"


@pytest.mark.parametrize("row", GUESTS_ROWS, ids=lambda row: row["id"])
async def test_a_demo_question_takes_its_route(customer: Customer, row: dict[str, Any]) -> None:
    attempt = await customer.ask(row["question"])

    said = attempt.answer or ""
    assert (route_of(attempt), attempt.reason_code) == (row["route"], row["reason_code"]), said
    assert [words for words in row["must_include"] if words not in said] == []
    assert [words for words in row["must_not_include"] if words in said] == []


def test_all_six_reasons_are_among_them() -> None:
    assert {row["reason_code"] for row in GUESTS_ROWS} - {None} == set(RefusalReason)


async def test_what_is_asked_back_is_answered_with_one_tap(customer: Customer) -> None:
    open_question = await customer.ask("上门安装怎么收费？")

    assert open_question.missing_facts == ("productKind",)
    offered = {each.label: each for each in open_question.suggestions}
    assert offered.keys() == {"家具", "灯具"}
    assert offered["家具"].facts == {"productKind": "家具"}

    tapped = offered["家具"]
    answered = await customer.ask(tapped.question, conversation=open_question.conversation_id, facts=dict(tapped.facts))
    assert (answered.refused, [citation.title for citation in answered.citations]) == (False, ["家具上门安装"])
    assert "60 元" in (answered.answer or "")
