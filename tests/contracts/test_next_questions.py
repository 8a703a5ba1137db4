"""What bff offers after the same end twice leads to a person, by the routing policy that knowledge begins with."""

import pytest

from bff.attempts.suggesting import next_questions
from contracts.reasons import Language, RefusalReason
from knowledge.answering.routing import route_question
from knowledge.versions.routing_policy import default_routing_policy, parse_routing_policy

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_last_offer_asks_for_a_person(language: Language) -> None:
    policy = parse_routing_policy(default_routing_policy())

    asked = next_questions("", language)[-1].question

    assert route_question(asked, policy=policy, signed_facts={}).reason is RefusalReason.HUMAN_REQUESTED
