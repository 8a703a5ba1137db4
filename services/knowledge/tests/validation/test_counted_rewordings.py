"""What the check gives on rewordings that nobody read for a rule of it: counted as a whole, no row is named."""

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


FOLDER: Final = Path(__file__).parent
FIGURES: Final = ("number", "unit", "bound", "range", "percentage", "currency", "date")
NAMES: Final = tuple(sorted(path.stem for path in FOLDER.glob("rewordings_*.yaml")))


def rules(name: str) -> list[Rule]:
    return TypeAdapter(list[Rule]).validate_python(yaml.safe_load((FOLDER / f"{name}.yaml").read_text("utf-8")))


def supported(claim: str, quote: str) -> bool:
    agreement = 0.9 if speaks_another_language(claim, (quote,)) else None
    return not check_claim(claim, (quote,), claim_overlap=0.2, agreement=agreement)


def share(outcomes: list[bool]) -> float:
    return sum(outcomes) / len(outcomes)


@pytest.mark.parametrize("name", NAMES)
def test_most_true_rewordings_of_a_new_kind_are_accepted(name: str) -> None:
    accepted = [supported(claim, rule.quote) for rule in rules(name) for claim in rule.follows]

    assert share(accepted) >= 0.77


@pytest.mark.parametrize("name", NAMES)
def test_most_false_rewordings_of_a_new_kind_are_refused(name: str) -> None:
    refused = [not supported(claim, rule.quote) for rule in rules(name) for _, claim in rule.changed]

    assert share(refused) >= 0.79


@pytest.mark.parametrize("name", NAMES)
def test_changed_figures_are_refused_most_surely(name: str) -> None:
    refused = [
        not supported(claim, rule.quote) for rule in rules(name) for kind, claim in rule.changed if kind in FIGURES
    ]

    assert share(refused) >= 0.89


@pytest.mark.parametrize("rule", [rule for name in NAMES for rule in rules(name)], ids=lambda rule: rule.quote[:20])
def test_a_rule_of_any_trade_supports_itself(rule: Rule) -> None:
    assert supported(rule.quote, rule.quote)
