"""The demo's own questions take the path their author expects."""

import json
from pathlib import Path
from typing import Any

import pytest

from contracts.customer import Attempt
from contracts.reasons import RefusalReason
from knowledge.versions.routing_policy import default_routing_policy
from tests.support.customer import Customer
from tests.support.members import new_member
from tests.support.system import System
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
    assert [any_of for any_of in row["must_include_any"] if not any(words in said for words in any_of)] == []
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


_READERS = """
case_facts:
  - fact: customerKind
    values: [个人客户, 企业客户]
    audiences: {consumer: 个人客户, business: 企业客户}
"""
_SPECIAL = "团体保修"
_WARRANTIES = (
    ("public", "一般保修", "茶具保修 12 个月，凭订单记录就可以享受，不需要保修卡。"),
    ("business", _SPECIAL, "团体客户一次订购的茶具，保修 36 个月。"),
)
_RULES = {
    "consumer": ("个人订购退货", "个人订购的茶具签收后 7 天内可以退货。", "退货运费每单 12 元。"),
    "business": ("团体订购退货", "团体订购的茶具签收后 30 天内可以退货。", "退货运费每单 12 元。"),
}


def _rules_for(segment: str) -> str:
    title, period, fee = _RULES[segment]
    head = f'slug: {segment}\ntitle: {title}\nlanguage: zh\nowner: 售后组\naudience: [{segment}]\nlabel: "1"\n'
    return f"---\n{head}---\n\n# {title}\n\n## 茶具几天内可以退货\n\n{period}\n\n## 退货运费多少\n\n{fee}\n"


def _warranty_for(segment: str, title: str, period: str) -> str:
    head = f'slug: warranty-{segment}\ntitle: {title}\nlanguage: zh\naudience: [{segment}]\nlabel: "1"\n'
    return f"---\n{head}---\n\n# {title}\n\n## 茶具保修多久\n\n{period}\n"


async def test_two_audiences_with_different_rules_are_asked_about(system: System, tmp_path: Path) -> None:
    for segment in _RULES:
        (tmp_path / f"{segment}.md").write_text(_rules_for(segment), encoding="utf-8")
    for segment, title, period in _WARRANTIES:
        (tmp_path / f"warranty-{segment}.md").write_text(_warranty_for(segment, title, period), encoding="utf-8")
    (tmp_path / "routing-policy.yaml").write_text(default_routing_policy() + _READERS, encoding="utf-8")

    async with new_member(system, "two-audiences", "consumer", "business") as member:
        system.command("import", str(tmp_path), "--tenant", "two-audiences", "--publish")
        asked = await member.ask("茶具几天内可以退货？")
        offered = {each.label: each for each in asked.suggestions}
        tapped = {
            name: await member.ask(each.question, conversation=asked.conversation_id, facts=dict(each.facts))
            for name, each in offered.items()
        }
        same_for_both = await member.ask("退货运费多少？")
        special = await member.ask("茶具保修多久？")

    assert (asked.reason_code, asked.missing_facts) == ("MISSING_BUSINESS_FACT", ("customerKind",))
    assert [each.facts for each in offered.values()] == [{"customerKind": name} for name in ("个人客户", "企业客户")]
    assert "7 天" in (tapped["个人客户"].answer or "")
    assert "30 天" in (tapped["企业客户"].answer or "")
    assert [len(each.citations) for each in tapped.values()] == [1, 1]
    assert "12 元" in (same_for_both.answer or "")
    assert [each.title for each in special.citations] == [_SPECIAL]
