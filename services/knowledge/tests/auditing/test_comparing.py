"""Two ends of an attempt are compared field by field, and what came later than the log is no difference."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from contracts.reasons import RefusalCause, RefusalReason
from knowledge.answering.log import LoggedDraft, LoggedFault, abandoned
from knowledge.auditing.replaying import NOT_LOGGED, compare, compare_drafts
from knowledge.retrieval.passage import Candidate, Scores
from tests.support.answering import NOON

pytestmark = pytest.mark.unit

_SECOND = {"mean": 0.8, "sd": 0.02, "pairs": 2_000}
_KEPT = replace(abandoned(NOON), version=3, calibration={"mean": 0.2, "second": _SECOND})


def candidate(number: int, fused: float) -> Candidate:
    scores = Scores(bm25=0, bm25_share=0, cosine=0, best_sentence=0, fused=fused)
    return Candidate(passage_id=UUID(int=number), scores=scores)


def draft(*codes: str, trouble: str | None = None) -> LoggedDraft:
    faults = tuple(LoggedFault(code=code, part=1, citation=None, detail="") for code in codes)
    return LoggedDraft(writer="openai", raw="", claimed=(), faults=faults, trouble=trouble, usage=None)


def test_what_is_equal_has_no_difference() -> None:
    assert compare(_KEPT, _KEPT) == ()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"version": 4}, "version"),
        ({"calibration": {"mean": 0.3, "second": _SECOND}}, "calibration"),
        ({"calibration": {"mean": 0.2, "second": {**_SECOND, "sd": 0.03}}}, "calibration"),
        ({"calibration": {"mean": 0.2, "second": None}}, "calibration"),
        ({"routing_policy": "other"}, "routing policy"),
        ({"route": RefusalReason.ESCALATION_TOPIC}, "route"),
        ({"route_rule": "topic:press"}, "rule of the route"),
        ({"read_as": ("运费",)}, "searched as"),
        ({"strength": "low"}, "strength"),
        ({"lacking": ("a number",)}, "lacking"),
        ({"context": (UUID(int=1),)}, "policy context"),
        ({"candidates": (candidate(1, 1.0),)}, "candidates new"),
        ({"cause": RefusalCause.NOT_IN_FORCE}, "cause"),
        ({"failure": None}, "outcome"),
    ],
)
def test_a_difference_is_named(change: dict[str, Any], field: str) -> None:
    assert [each.field for each in compare(_KEPT, replace(_KEPT, **change))] == [field]


def test_a_field_that_calibrations_gained_later_is_no_difference() -> None:
    later: dict[str, Any] = {"mean": 0.2, "second": {**_SECOND, "bands": None}, "bands": [1, 2]}

    assert compare(_KEPT, replace(_KEPT, calibration=later)) == ()


def test_candidates_that_moved_or_weigh_otherwise_are_told() -> None:
    then = replace(_KEPT, candidates=(candidate(1, 2.0), candidate(2, 1.0)))
    now = replace(_KEPT, candidates=(candidate(2, 2.5), candidate(1, 2.0 + 1e-9)))

    assert [each.field for each in compare(then, now)] == ["order of candidates from 1", f"score of {UUID(int=2)}"]


def test_of_an_order_only_what_moved_is_told() -> None:
    then = replace(_KEPT, candidates=tuple(candidate(each, 1.0) for each in (1, 2, 3, 4, 5)))
    now = replace(_KEPT, candidates=tuple(candidate(each, 1.0) for each in (1, 3, 2, 4, 5)))

    (found,) = compare(then, now)

    assert (found.field, found.logged) == ("order of candidates from 2", f"{UUID(int=2)} {UUID(int=3)}")


def test_verdicts_are_put_side_by_side() -> None:
    then = replace(_KEPT, drafts=(draft("OVER_PROMISE"), draft(), draft(trouble="slow")))
    now = replace(_KEPT, drafts=(draft("OVER_PROMISE"), draft("PARTY_DIFFERS"), draft(trouble=NOT_LOGGED)))

    compared = compare_drafts(then, now)

    assert [(each.logged, each.now) for each in compared] == [
        (("OVER_PROMISE (part 1)",), ("OVER_PROMISE (part 1)",)), ((), ("PARTY_DIFFERS (part 1)",)), (None, None),
    ]  # fmt: skip
    assert [each.field for each in compare(then, now)] == ["verdict of draft 2"]
