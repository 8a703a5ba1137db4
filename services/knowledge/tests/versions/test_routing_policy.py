"""A routing policy is read whole or refused with every faulty field named."""

import pytest

from knowledge.versions.routing_policy import InvalidRoutingPolicyError, default_routing_policy, parse_routing_policy

_SMALL = """
name: small
escalation_topics: [{name: complaint, phrases: [投诉]}]
human_requested: []
personal_facts: [{fact: orderStatus, patterns: ['my order']}]
human_decision: []
handoff:
  NO_AUTHORIZED_EVIDENCE: offered
  MISSING_BUSINESS_FACT: offered
  CONFLICTING_POLICY: offered
  HUMAN_DECISION_REQUIRED: offered
  ESCALATION_TOPIC: required
  HUMAN_REQUESTED: required
"""


def test_the_default_policy_is_valid() -> None:
    policy = parse_routing_policy(default_routing_policy())

    assert policy.escalation_topics
    assert policy.bounds.context_passages == 8


def test_equal_texts_give_one_policy() -> None:
    assert parse_routing_policy(_SMALL) is parse_routing_policy(_SMALL)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("name: [", "line 1"),
        ("just text", "the document"),
        (_SMALL.replace("name: small", "nmae: small"), "nmae"),
        (_SMALL.replace("my order", "my (order"), "personal_facts.0.patterns.0"),
        (_SMALL + "thresholds: {refuse_below: much}\n", "thresholds.refuse_below"),
        (_SMALL.replace("offered", "perhaps"), "handoff.NO_AUTHORIZED_EVIDENCE"),
        (_SMALL.replace("  CONFLICTING_POLICY: offered\n", ""), "handoff says nothing of CONFLICTING_POLICY"),
        (_SMALL + "thresholds: {answer_from: .nan}\n", "thresholds.answer_from"),
        ("[" * 3_000, "recursion"),
        (_SMALL + "when: 2026-02-30\n", "day is out of range"),
        (_SMALL + "bounds: {context_passages: 0}\n", "bounds.context_passages"),
        (_SMALL + "thresholds: {refuse_below: 2, answer_from: 1}\n", "thresholds"),
    ],
)
def test_a_faulty_policy_names_its_field(text: str, named: str) -> None:
    with pytest.raises(InvalidRoutingPolicyError) as refused:
        parse_routing_policy(text)

    assert named in str(refused.value)
