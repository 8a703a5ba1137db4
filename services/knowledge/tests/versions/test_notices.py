"""What owners are told, and how often it is tried."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from knowledge.versions.agenda import Rule, agenda
from knowledge.versions.notices import drafts_of, refused_draft, wait_after, week_of

pytestmark = pytest.mark.unit

_TODAY = date(2026, 7, 15)
_RULE = Rule(
    slug="fee", label="1", title="fee", owner="olga", area=None, review_date=None, effective_from=None,
    effective_to=None, follower=None,
)  # fmt: skip


def test_the_overdue_rules_of_a_week_are_one_notice() -> None:
    rules = [replace(_RULE, slug=slug, review_date=date(2026, 7, 1)) for slug in ("b", "a")]

    (draft,) = drafts_of(agenda(rules, today=_TODAY, days=14), today=_TODAY)

    assert (draft.kind, draft.subject, draft.period) == ("OVERDUE", "documents", "2026-W29")
    assert [each["slug"] for each in draft.items] == ["a", "b"]
    assert draft.items[0]["reviewDate"] == "2026-07-01"


def test_a_rule_that_ends_is_a_notice_unless_another_follows() -> None:
    rules = [
        replace(_RULE, effective_to=date(2026, 7, 20)),
        replace(_RULE, slug="x", effective_to=_TODAY, follower="2"),
    ]

    (draft,) = drafts_of(agenda(rules, today=_TODAY, days=14), today=_TODAY)

    assert (draft.kind, draft.subject, draft.period) == ("EXPIRING", "fee:1", "2026-07-20")


@pytest.mark.parametrize(
    ("day", "week"), [(date(2026, 7, 12), "2026-W28"), (date(2026, 7, 13), "2026-W29"), (date(2027, 1, 1), "2026-W53")]
)
def test_weeks_begin_on_monday(day: date, week: str) -> None:
    assert week_of(day) == week


def test_a_notice_holds_no_more_than_can_be_read() -> None:
    assert len(refused_draft((f"att_{number}" for number in range(500)), day=_TODAY).items) == 200


def test_tries_are_further_and_further_apart_and_end() -> None:
    waits = [wait_after(tries) for tries in range(1, 9)]

    assert waits[0] == timedelta(minutes=1)
    assert [each for each in waits if each is not None] == sorted(each for each in waits if each is not None)
    assert waits[-1] is None
