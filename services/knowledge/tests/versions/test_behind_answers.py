"""A reviewer sees how the routing policy and the calibration of two versions differ."""

from typing import Any

import pytest

from knowledge.versions.behind_answers import Behind, changed_behind
from knowledge.versions.routing_policy import default_routing_policy

pytestmark = pytest.mark.unit

_POLICY = """
escalation_topics:
  - name: complaint
    phrases: [file a complaint, 投诉你们]
  - name: press
    phrases: [request for comment]
thresholds: {answer_from: 1.5}
mode: whole
"""


def behind(policy: str = _POLICY, **fitted: Any) -> Behind:  # JSON
    return Behind(routing_policy=policy, calibration={"mean": 0.1, "fitted": fitted or None})


def told(before: Behind, after: Behind) -> list[tuple[str, str | None, str | None]]:
    return [(each.field, each.before, each.after) for each in changed_behind(before, after)]


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        pytest.param("mode: whole", "mode: verified_sentences", [("mode", "whole", "verified_sentences")], id="a leaf"),
        pytest.param("1.5", "1.2", [("thresholds.answer_from", "1.5", "1.2")], id="a leaf below"),
        pytest.param(
            "投诉你们", "举报你们", [("escalation_topics.complaint.phrases", "投诉你们", "举报你们")], id="a phrase"
        ),
        pytest.param("mode: whole\n", "", [("mode", "whole", None)], id="a leaf that goes"),
        pytest.param(
            "  - name: press\n    phrases: [request for comment]\n",
            "",
            [
                ("escalation_topics.press.name", "press", None),
                ("escalation_topics.press.phrases", "request for comment", None),
            ],
            id="a topic that goes",
        ),
        pytest.param(
            "{answer_from: 1.5}", "2", [("thresholds", '{"answer_from": 1.5}', "2")], id="another kind of node"
        ),
        pytest.param("\nmode", "\n# A comment.\nmode", [], id="a comment"),
    ],
)
def test_a_changed_policy_is_told_by_its_leaves(
    old: str, new: str, changes: list[tuple[str, str | None, str | None]]
) -> None:
    found = told(behind(), behind(_POLICY.replace(old, new)))

    assert found == [(f"routing_policy.{field}", before, after) for field, before, after in changes]


def test_the_order_of_topics_tells_nothing() -> None:
    one, other = "name: complaint\n    phrases: [a]", "name: press\n    phrases: [b]"
    first = f"escalation_topics:\n  - {one}\n  - {other}\n"
    second = f"escalation_topics:\n  - {other}\n  - {one}\n"

    assert told(behind(first), behind(second)) == []


def test_a_fitted_calibration_is_told_and_a_measured_one_is_not() -> None:
    measured = Behind(routing_policy=_POLICY, calibration={"mean": 0.2, "fitted": None})

    assert told(behind(), measured) == []
    assert told(behind(), behind(answer_from=2.5)) == [("calibration.answer_from", None, "2.5")]
    assert told(behind(answer_from=2.5), behind(answer_from=3.0)) == [("calibration.answer_from", "2.5", "3.0")]


def test_what_is_long_is_cut() -> None:
    found = told(behind("mode: whole"), behind(default_routing_policy()))

    assert max(len(each or "") for _, before, after in found for each in (before, after)) == 600
