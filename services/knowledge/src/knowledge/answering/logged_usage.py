"""Read back what a logged draft cost, and who was asked for it in vain."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from knowledge.answering.draft import Missed, Usage


def read_usage(stored: Mapping[str, Any] | None) -> Usage | None:  # JSON
    """Read what a draft used; None for nothing."""
    if stored is None:
        return None
    cost = stored.get("cost")
    return replace(Usage(**stored), cost=None if cost is None else Decimal(cost))


def read_missed(stored: Mapping[str, Any]) -> tuple[Missed, ...]:  # JSON
    """Read who was asked in vain for a logged draft; drafts that were logged before this was kept say nobody."""
    return tuple(
        Missed(model=each["model"], trouble=each["trouble"], usage=read_usage(each["usage"]))
        for each in stored.get("missed", ())
    )
