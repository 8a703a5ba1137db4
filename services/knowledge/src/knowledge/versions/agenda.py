"""What owners have to look at: rules whose review is overdue, that begin soon, or that end soon."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A revision of the current version with its days; None is an open side, `effective_to` is included.

    `follower` is the label of the revision of the same document that begins on the day after its last one.
    """

    slug: str
    label: str
    title: str
    owner: str | None
    area: str | None
    review_date: date | None
    effective_from: date | None
    effective_to: date | None
    follower: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agenda:
    """Rules by what is due, each list with the most pressing first."""

    overdue: tuple[Rule, ...]
    upcoming: tuple[Rule, ...]
    expiring: tuple[Rule, ...]


def agenda(rules: Iterable[Rule], *, today: date, days: int) -> Agenda:
    """Sort rules by what is due today or within some days. A rule that has ended is nobody's business any more."""
    alive = [rule for rule in rules if (rule.effective_to or date.max) >= today]
    horizon = today + timedelta(days=days)
    overdue = [rule for rule in alive if rule.review_date is not None and rule.review_date < today]
    upcoming = [rule for rule in alive if rule.effective_from is not None and today < rule.effective_from <= horizon]
    expiring = [rule for rule in alive if rule.effective_to is not None and rule.effective_to <= horizon]
    return Agenda(
        overdue=tuple(sorted(overdue, key=lambda rule: (rule.review_date or date.min, rule.slug, rule.label))),
        upcoming=tuple(sorted(upcoming, key=lambda rule: (rule.effective_from or date.min, rule.slug, rule.label))),
        expiring=tuple(sorted(expiring, key=lambda rule: (rule.effective_to or date.min, rule.slug, rule.label))),
    )


def leaves_a_gap(rule: Rule) -> bool:
    """Say whether nothing of the document is in force on the day after a rule's last one."""
    return rule.effective_to is not None and rule.follower is None
