"""The texts of a refusal are reviewed, complete, and never say that a rule does not exist."""

from itertools import product
from typing import get_args

import pytest

from contracts.reasons import Language, RefusalReason
from knowledge.answering.outcomes import refused
from knowledge.answering.refusals import refusal_text

EVERY = list(product(RefusalReason, get_args(Language)))


@pytest.mark.parametrize(("reason", "language"), EVERY)
def test_every_reason_has_a_text_in_every_language(reason: RefusalReason, language: Language) -> None:
    text = refusal_text(reason, language, missing_facts=("orderStatus",))

    assert text.answer.startswith(text.reason)
    assert len(text.answer) > len(text.reason)
    assert "{" not in text.answer
    assert any("\u4e00" <= character <= "\u9fff" for character in text.answer) == (language == "zh")


@pytest.mark.parametrize(("reason", "language"), EVERY)
def test_no_text_says_that_a_rule_does_not_exist(reason: RefusalReason, language: Language) -> None:
    answer = refusal_text(reason, language).answer

    assert not any(claim in answer for claim in ("没有规定", "不存在", "没有这项", "no rule", "no policy", "not exist"))


def test_missing_facts_are_named_in_the_customers_words() -> None:
    assert (
        "订单的状态" in refusal_text(RefusalReason.MISSING_BUSINESS_FACT, "zh", missing_facts=("orderStatus",)).answer
    )
    unnamed = refusal_text(RefusalReason.MISSING_BUSINESS_FACT, "en", missing_facts=("secretKey",))
    assert "secretKey" not in unnamed.answer


def test_a_refusal_has_no_coverage_and_its_parts_are_its_answer() -> None:
    outcome = refused(RefusalReason.NO_AUTHORIZED_EVIDENCE, language="en", handoff="offered")

    assert (outcome.refused, outcome.coverage) == (True, "none")
    assert "".join(part.text for part in outcome.parts) == outcome.answer
