"""The routing policies we ship send what customers write where it belongs."""

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest
import yaml

from contracts.reasons import RefusalReason
from knowledge.answering.routing import route_question
from knowledge.versions.routing_policy import RoutingPolicy, Topic, default_routing_policy, parse_routing_policy

pytestmark = pytest.mark.unit

_HERE: Final = Path(__file__).parent
_DEMO: Final = _HERE.parents[3] / "examples" / "routing-policy.yaml"
_TABLE: Final[dict[str, list[str]]] = yaml.safe_load((_HERE / "routed_questions.yaml").read_text(encoding="utf-8"))
_ROWS: Final = [(question, reason) for reason, questions in _TABLE.items() for question in questions]
_LONGEST_QUESTION: Final = 10_000


@pytest.fixture(scope="module", params=["default", "demo"])
def policy(request: pytest.FixtureRequest) -> RoutingPolicy:
    text = default_routing_policy() if request.param == "default" else _DEMO.read_text(encoding="utf-8")
    return parse_routing_policy(text)


@pytest.mark.parametrize(("question", "reason"), _ROWS)
def test_a_question_is_sent_where_it_belongs(question: str, reason: str, policy: RoutingPolicy) -> None:
    route = route_question(question, policy=policy, signed_facts={})

    assert (route.reason or "POLICY") == reason, route.rule


def test_a_person_is_required_exactly_for_topics_and_wishes(policy: RoutingPolicy) -> None:
    required = {reason for reason, handoff in policy.handoff.items() if handoff == "required"}

    assert set(policy.handoff) == set(RefusalReason)
    assert required == {RefusalReason.ESCALATION_TOPIC, RefusalReason.HUMAN_REQUESTED}


@pytest.mark.parametrize("filler", ["has my refund ", "i will ", "why was i charged ", "我的订单", "我要投诉退款", "a"])
def test_the_longest_question_is_routed_quickly(filler: str, policy: RoutingPolicy) -> None:
    question = (filler * _LONGEST_QUESTION)[:_LONGEST_QUESTION]
    route_question("warm up", policy=policy, signed_facts={})

    started = time.process_time()
    route_question(question, policy=policy, signed_facts={})

    assert time.process_time() - started < 2


def test_the_demo_policy_keeps_everything_the_default_has() -> None:
    default = parse_routing_policy(default_routing_policy())
    demo = parse_routing_policy(_DEMO.read_text(encoding="utf-8"))

    assert _phrases(_topics(default)) <= _phrases(_topics(demo))
    assert _patterns(default) <= _patterns(demo)


def _topics(policy: RoutingPolicy) -> tuple[Topic, ...]:
    return policy.escalation_topics + policy.human_requested + policy.human_decision


def _phrases(topics: Iterable[Topic]) -> set[tuple[str, str]]:
    return {(topic.name, phrase) for topic in topics for phrase in topic.phrases + topic.patterns + topic.unless}


def _patterns(policy: RoutingPolicy) -> set[tuple[str, str]]:
    return {(entry.fact, pattern) for entry in policy.personal_facts for pattern in entry.patterns}
