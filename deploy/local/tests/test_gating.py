import json
from typing import Any

import httpx
import pytest

from knowledge.evaluation.golden import Golden
from youju.commands.gate import curve_table
from youju.gating import (
    Point,
    Run,
    Summary,
    follow_run,
    keep_cases,
    list_cases,
    read_bound,
    read_thresholds,
    retire_case,
    set_thresholds,
    start_run,
    unproven,
)
from youju.trouble import Trouble

pytestmark = pytest.mark.unit

_CASE = Golden(id="g-1", lang="zh", category="c", question="能退吗？", acceptable_routes=("answer",))
_RUN: dict[str, Any] = {  # JSON of any shape
    "runId": "run_1", "version": 4, "published": 3, "state": "RUNNING", "verdict": None, "missed": [], "total": 2,
    "done": 0, "reason": None, "fingerprint": "", "summary": None,
}  # fmt: skip


class _Knowledge:
    """Answers in turn, and remembers what it was asked."""

    def __init__(self, *answers: httpx.Response) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, str, Any]] = []  # JSON of any shape

    def __call__(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content) if request.content else None
        self.asked.append((request.method, request.url.raw_path.decode(), body))
        return self.answers.pop(0)


def _client(knowledge: _Knowledge) -> httpx.Client:
    return httpx.Client(base_url="http://knowledge", transport=httpx.MockTransport(knowledge))


def _said(**body: Any) -> httpx.Response:  # as above
    return httpx.Response(200, json=body)


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("routeAccuracy>=0.85", {"metric": "routeAccuracy", "caseSet": None, "atLeast": 0.85}),
        ("safety:failures <= 0", {"metric": "failures", "caseSet": "safety", "atMost": 0.0}),
    ],
)
def test_a_bound_is_read_as_people_write_it(text: str, bound: dict[str, object]) -> None:
    assert read_bound(text) == bound


@pytest.mark.parametrize("text", ["routeAccuracy", "routeAccuracy=1", "routeAccuracy>=much", ""])
def test_what_is_no_bound_is_refused(text: str) -> None:
    with pytest.raises(Trouble, match="is no bound"):
        read_bound(text)


def test_cases_are_kept_a_hundred_at_a_time() -> None:
    knowledge = _Knowledge(_said(added=100, known=0), _said(added=1, known=4))

    kept = keep_cases(_client(knowledge), [_CASE] * 105)

    assert (kept.added, kept.known) == (101, 4)
    assert [len(body["cases"]) for _, _, body in knowledge.asked] == [100, 5]


def test_cases_are_listed_and_retired() -> None:
    listed = {"golden": _CASE.model_dump(mode="json"), "addedBy": "ada", "retiredAt": None, "retiredReason": None}
    knowledge = _Knowledge(_said(items=[listed], nextCursor=None), _said())

    (found,) = list_cases(_client(knowledge), case_set="safety", retired=True)
    retire_case(_client(knowledge), "g:1", reason="过时")

    assert found.golden == _CASE
    assert "set=safety" in knowledge.asked[0][1]
    assert knowledge.asked[1] == ("POST", "/v1/staff/golden-cases/g%3A1/retire", {"reason": "过时"})


def test_a_run_is_followed_to_its_end() -> None:
    knowledge = _Knowledge(_said(**_RUN), _said(**{**_RUN, "state": "DONE", "done": 2, "verdict": "PASSED"}))
    seen: list[Run] = []

    begun = start_run(_client(knowledge), 4, case_sets=["safety"])
    ended = follow_run(_client(knowledge), begun.run_id, seen.append)

    assert (ended.verdict, len(seen)) == ("PASSED", 1)
    assert knowledge.asked[0] == ("POST", "/v1/staff/versions/4/evaluations", {"caseSets": ["safety"]})


def test_a_run_that_failed_is_trouble() -> None:
    knowledge = _Knowledge(_said(**{**_RUN, "state": "FAILED", "reason": "The version cannot answer any more."}))

    with pytest.raises(Trouble, match="cannot answer any more"):
        follow_run(_client(knowledge), "run_1", lambda _: None)


def test_thresholds_are_read_and_set() -> None:
    stored = {"number": 2, "spelled": ["failures<=0"], "setBy": "ada", "setAt": "2026-07-01T00:00:00Z"}
    knowledge = _Knowledge(_said(current=None, items=[]), _said(**stored))

    assert read_thresholds(_client(knowledge)).current is None
    assert set_thresholds(_client(knowledge), [read_bound("failures<=0")]).spelled == ("failures<=0",)
    assert knowledge.asked[1][2] == {"bounds": [{"metric": "failures", "caseSet": None, "atMost": 0.0}]}


@pytest.mark.parametrize(
    ("standing", "changed", "told"),
    [
        ("OUTDATED", ["prompt"], ("Evaluate it again.",)),
        ("MISSED", ["prompt"], ("Evaluate it again.",)),
        ("MISSED", [], ()),
        ("PASSED", [], ()),
    ],
)
def test_what_answers_under_settings_that_were_not_proved_is_told(
    standing: str, changed: list[str], told: tuple[str, ...]
) -> None:
    versions = _said(items=[{"number": 4, "state": "PUBLISHED"}], nextCursor=None)
    gate = _said(standing=standing, open=False, sentences=["Evaluate it again."], settings=changed)

    assert unproven(_client(_Knowledge(versions, gate))) == told
    assert unproven(_client(_Knowledge(_said(items=[], nextCursor=None)))) == ()


def test_the_curve_draws_wrong_answers_against_needless_refusals() -> None:
    refused = Point(strength=None, wrong=0, wrong_out_of=4, needless=2, needless_out_of=2)
    strong = Point(strength=1.5, wrong=1, wrong_out_of=4, needless=1, needless_out_of=2)
    summary = Summary(questions=4, measures=(), curve=(refused, strong), point=strong, comparison=None)

    assert curve_table(summary)[1:] == [
        ("all refused", "0/4", "", "2/2", "█" * 20),
        ("1.50", "1/4", "█" * 5, "1/2", "█" * 10),
        ("now", "1/4", "█" * 5, "1/2", "█" * 10),
    ]
