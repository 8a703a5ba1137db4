"""What may be said of a rule in other words is accepted, and what changes it is refused, whatever was changed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
import yaml
from pydantic import BaseModel, TypeAdapter

from knowledge.validation.claims import check_claim, speaks_another_language

pytestmark = pytest.mark.unit


class Rule(BaseModel):
    """A quote, claims that follow from it, and claims that do not with the kind of change."""

    quote: str
    follows: list[str] = []
    changed: list[tuple[str, str]] = []


_FILE: Final = Path(__file__).with_name("rewordings.yaml")
RULES: Final = TypeAdapter(list[Rule]).validate_python(yaml.safe_load(_FILE.read_text(encoding="utf-8")))


def supported(claim: str, quote: str) -> bool:
    agreement = 0.9 if speaks_another_language(claim, (quote,)) else None
    return not check_claim(claim, (quote,), claim_overlap=0.2, agreement=agreement)


def honest() -> Iterator[tuple[str, str]]:
    return ((rule.quote, claim) for rule in RULES for claim in rule.follows)


def changed() -> Iterator[tuple[str, str, str]]:
    return ((kind, rule.quote, claim) for rule in RULES for kind, claim in rule.changed)


@pytest.mark.parametrize(("quote", "claim"), list(honest()))
def test_other_words_for_the_same_rule_are_accepted(quote: str, claim: str) -> None:
    assert supported(claim, quote)


@pytest.mark.parametrize(("kind", "quote", "claim"), list(changed()))
def test_a_changed_rule_is_refused(kind: str, quote: str, claim: str) -> None:
    assert not supported(claim, quote), kind


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.quote[:20])
def test_a_rule_supports_itself(rule: Rule) -> None:
    assert supported(rule.quote, rule.quote)
