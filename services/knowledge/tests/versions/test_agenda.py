"""Which rules owners have to look at, on which day."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from knowledge.versions.agenda import Rule, agenda, leaves_a_gap

pytestmark = pytest.mark.unit

_TODAY = date(2026, 7, 15)


_PLAIN = Rule(
    slug="fee", label="1", title="fee", owner=None, area=None, review_date=None, effective_from=None,
    effective_to=None, follower=None,
)  # fmt: skip


@pytest.mark.parametrize(
    ("days", "lists"),
    [
        ({}, set[str]()),
        ({"review_date": date(2026, 7, 15)}, set[str]()),
        ({"review_date": date(2026, 7, 14)}, {"overdue"}),
        ({"review_date": date(2026, 7, 14), "effective_to": date(2026, 7, 14)}, set[str]()),
        ({"effective_from": date(2026, 7, 15)}, set[str]()),
        ({"effective_from": date(2026, 7, 16)}, {"upcoming"}),
        ({"effective_from": date(2026, 7, 25)}, {"upcoming"}),
        ({"effective_from": date(2026, 7, 26)}, set[str]()),
        ({"effective_to": date(2026, 7, 14)}, set[str]()),
        ({"effective_to": date(2026, 7, 15)}, {"expiring"}),
        ({"effective_to": date(2026, 7, 25)}, {"expiring"}),
        ({"effective_to": date(2026, 7, 26)}, set[str]()),
        ({"effective_from": date(2026, 7, 16), "effective_to": date(2026, 7, 20)}, {"upcoming", "expiring"}),
    ],
)
def test_a_rule_is_listed_by_its_days(days: dict[str, Any], lists: set[str]) -> None:  # fields of several types
    found = agenda([replace(_PLAIN, **days)], today=_TODAY, days=10)

    listed = {"overdue": found.overdue, "upcoming": found.upcoming, "expiring": found.expiring}
    assert {name for name, rules in listed.items() if rules} == lists


def test_the_most_pressing_comes_first() -> None:
    rules = [
        replace(_PLAIN, slug="b", review_date=date(2026, 7, 2)),
        replace(_PLAIN, slug="a", review_date=date(2026, 7, 1)),
    ]

    assert [each.slug for each in agenda(rules, today=_TODAY, days=0).overdue] == ["a", "b"]


def test_a_rule_that_ends_leaves_a_gap_unless_another_follows() -> None:
    assert leaves_a_gap(replace(_PLAIN, effective_to=_TODAY))
    assert not leaves_a_gap(replace(_PLAIN, effective_to=_TODAY, follower="2"))
    assert not leaves_a_gap(_PLAIN)
