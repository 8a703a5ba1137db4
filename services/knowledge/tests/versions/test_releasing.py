"""Every move of a version from every state: allowed, or refused with a sentence."""

from typing import get_args

import pytest

from knowledge.retrieval import statements
from knowledge.versions.releasing import (
    SERVABLE,
    Move,
    NotPublishableError,
    VersionState,
    VersionStateError,
    following,
    states_before,
)
from knowledge.versions.store import counts

pytestmark = pytest.mark.unit

_ALLOWED: dict[tuple[VersionState, Move], VersionState] = {
    ("DRAFT", "stage"): "STAGED",
    ("DRAFT", "fail"): "FAILED",
    ("STAGED", "evaluate"): "EVALUATED",
    ("STAGED", "approve"): "APPROVED",
    ("STAGED", "discard"): "DISCARDED",
    ("EVALUATED", "evaluate"): "EVALUATED",
    ("EVALUATED", "approve"): "APPROVED",
    ("EVALUATED", "discard"): "DISCARDED",
    ("APPROVED", "evaluate"): "APPROVED",
    ("APPROVED", "publish"): "PUBLISHED",
    ("APPROVED", "discard"): "DISCARDED",
    ("PUBLISHED", "evaluate"): "PUBLISHED",
    ("PUBLISHED", "retire"): "RETIRED",
    ("RETIRED", "evaluate"): "RETIRED",
    ("RETIRED", "publish"): "PUBLISHED",
}


@pytest.mark.parametrize("move", get_args(Move))
@pytest.mark.parametrize("state", get_args(VersionState))
def test_every_move_is_allowed_or_refused_by_its_name(state: VersionState, move: Move) -> None:
    allowed = _ALLOWED.get((state, move))

    if allowed is not None:
        assert following(state, move, number=7) == allowed
        return
    with pytest.raises(NotPublishableError if move == "publish" else VersionStateError) as refused:
        following(state, move, number=7)
    assert refused.value.detail.startswith(f"Version 7 is {state}; only ")


def test_what_ended_without_being_published_never_comes_back() -> None:
    ended: tuple[VersionState, ...] = ("FAILED", "DISCARDED")

    assert not set(ended) & {state for move in get_args(Move) for state in states_before(move)}
    assert not set(ended) & set(SERVABLE)


@pytest.mark.parametrize("statement", [statements.SERVING, counts.BASE])
def test_statements_name_every_state_that_can_serve(statement: str) -> None:
    assert str(SERVABLE) in statement


def test_the_states_before_a_move_are_listed_in_the_order_of_a_life() -> None:
    assert states_before("discard") == ("STAGED", "EVALUATED", "APPROVED")
    assert states_before("retire") == ("PUBLISHED",)
