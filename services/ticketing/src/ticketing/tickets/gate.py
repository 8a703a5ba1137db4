"""Know when a helpdesk is left alone: failures in a row open its circuit, one probe closes it again."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from ticketing.tickets.helpdesk import Limits

_FIRST_REST: Final = timedelta(seconds=15)
_LONGEST_REST: Final = timedelta(minutes=5)
# A place at the helpdesk is free again within the length of a call; asking sooner only costs statements.
_NEXT_LOOK: Final = timedelta(seconds=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """What is known of a helpdesk: failures in a row, how long it is still left alone, and calls under way."""

    failures: int = 0
    closed_for: timedelta = timedelta(0)
    under_way: int = 0


def wait_at(gate: Gate, limits: Limits) -> timedelta | None:
    """Say how long to wait before a try; None when it may begin. After a rest a single probe goes first."""
    if gate.closed_for > timedelta(0):
        return gate.closed_for
    places = 1 if gate.failures >= limits.failures_to_open else limits.most_at_once
    return _NEXT_LOOK if gate.under_way >= places else None


def rest_after(failures: int, limits: Limits) -> timedelta | None:
    """Say how long a helpdesk is left alone after some failures in a row; None while they are few."""
    beyond = failures - limits.failures_to_open
    if beyond < 0:
        return None
    return min(_FIRST_REST * 2 ** min(beyond, 10), _LONGEST_REST)
