"""Doubtful answers are read, judged and proposed from a shell."""

import json

import httpx
import pytest

from youju.review_report import show_detail, show_item
from youju.reviewing import (
    ReviewDetail,
    decide_proposal,
    export_proposal,
    judge_item,
    list_items,
    list_proposals,
    make_case,
    propose,
    read_item,
    release_item,
    take_item,
    take_next,
)
from youju.trouble import Trouble

pytestmark = pytest.mark.unit

_ATTEMPTS = ("att_1", "att_2")
_PROPOSAL: dict[str, object] = {
    "proposalId": "prp_1", "slug": "help/kettles", "title": "水壶", "state": "PROPOSED", "proposedBy": "ann",
    "proposedAt": "2026-07-15T12:00:00Z",
}  # fmt: skip
_CANDIDATE = {
    "slug": "returns", "label": "1", "section": "退货", "inContext": True,
    "scores": {"bm25": 1.5, "cosine": 0.5, "fused": 2.0},
}  # fmt: skip


def _item(attempt_id: str, held_by: str | None = None) -> dict[str, object]:
    return {
        "attemptId": attempt_id, "reasons": ["NOT_HELPFUL"], "state": "OPEN", "question": "能退吗？",
        "waitingSince": "2026-07-15T12:00:00Z", "heldBy": held_by, "heldUntil": None, "verdicts": 0,
    }  # fmt: skip


def _detail(**ending: object) -> dict[str, object]:
    ended: dict[str, object] = {
        "outcome": {"answer": "可以。", "refused": False, "reasonCode": None}, "failureCode": None, "cause": None,
        "version": 3, "route": None, "routeRule": None, "strength": "low", "readAs": ["能退吗？"],
        "citations": [{"title": "退货", "section": "退货", "revision": "1", "quote": "可以退。"}],
        "candidates": [_CANDIDATE] * 9, "beyondReach": [{**_CANDIDATE, "slug": None}],
        "drafts": [{"writer": "openai", "text": "…", "faults": [{"code": "ALTERED_QUOTE", "detail": "It differs."}],
                    "trouble": None, "missed": [{"model": "large", "trouble": "failing"}]},
                   {"writer": "openai", "text": "", "faults": [], "trouble": "TIMEOUT", "missed": []}],
        **ending,
    }  # fmt: skip
    return {
        "item": _item("att_1", "ann"), "ending": ended,
        "checks": [{"part": 1, "isSupported": False, "reason": "not said"},
                   {"part": 2, "isSupported": True, "reason": None}],
        "feedback": {"rating": "NOT_HELPFUL", "reasonCode": "OUTDATED", "comment": "旧"},
        "escalations": [{"escalationId": "esc_1", "origin": "customer", "note": "请打电话"}],
        "verdicts": [{"number": 1, "layer": "RERANK_DROP", "note": None, "reviewer": "ann"}],
    }  # fmt: skip


_FIXED: dict[tuple[str, str], dict[str, object]] = {
    ("GET", "review/items/att_1"): _detail(),
    ("POST", "review/take"): {"item": None},
    ("POST", "review/items/att_1/take"): _item("att_1"),
    ("POST", "review/items/att_1/release"): _item("att_1"),
    ("POST", "review/items/att_1/verdicts"): {"number": 2, "reviewer": "ann"},
    ("POST", "review/items/att_1/cases"): {"caseId": "review-1", "isNew": True},
    ("POST", "review/items/att_1/proposals"): _PROPOSAL,
    ("GET", "proposals"): {"items": [_PROPOSAL], "nextCursor": None},
    ("POST", "proposals/prp_1/decision"): _PROPOSAL,
}


def _answer(request: httpx.Request) -> httpx.Response:
    """Serve one request; what was sent comes back with the answer."""
    asked = (request.method, request.url.path.removeprefix("/v1/staff/"))
    if asked == ("GET", "review/items"):
        at = int(request.url.params.get("cursor", "0"))
        following = str(at + 1) if at + 1 < len(_ATTEMPTS) else None
        return httpx.Response(200, json={"items": [_item(_ATTEMPTS[at])], "nextCursor": following})
    if asked == ("GET", "proposals/prp_1/file"):
        return httpx.Response(200, text="---\nslug: help/kettles\n---\n")
    if asked in _FIXED:
        return httpx.Response(200, json={**_FIXED[asked], **json.loads(request.content or b"{}")})
    return httpx.Response(409, json={"detail": "Another reviewer has this item.", "errors": []})


@pytest.fixture
def client() -> httpx.Client:
    return httpx.Client(transport=httpx.MockTransport(_answer), base_url="http://knowledge")


def test_every_page_of_the_queue_is_read(client: httpx.Client) -> None:
    assert [each.attempt_id for each in list_items(client, "NOT_HELPFUL")] == list(_ATTEMPTS)


def test_an_item_is_taken_released_and_judged(client: httpx.Client) -> None:
    verdict = judge_item(client, "att_1", layer="CORRECT", note=None, seen=1)

    assert take_next(client) is None
    assert take_item(client, "att_1") == release_item(client, "att_1")
    assert (verdict.number, verdict.layer) == (2, "CORRECT")


def test_an_item_that_another_has_is_told(client: httpx.Client) -> None:
    with pytest.raises(Trouble, match="Another reviewer"):
        take_item(client, "att_2")


def test_a_case_is_made_and_a_text_proposed_and_decided(client: httpx.Client) -> None:
    case = make_case(client, "att_1", {"category": "returns"})
    made = propose(client, "att_1", slug="help/kettles", title="水壶", text="…")

    assert (case.case_id, case.is_new) == ("review-1", True)
    assert list(list_proposals(client)) == [made]
    assert export_proposal(client, made.proposal_id).startswith(b"---")
    assert decide_proposal(client, made.proposal_id, state="DECLINED", reason="否").state == "DECLINED"


def test_an_attempt_is_shown_with_all_that_is_known_of_it(
    client: httpx.Client, capsys: pytest.CaptureFixture[str]
) -> None:
    show_detail(read_item(client, "att_1"))

    shown = capsys.readouterr().out
    for line in (
        "NOT_HELPFUL, ann has it", "read as: 能退吗？", "answered: 可以。", "[1] 退货 > 退货 (1): 可以退。",
        "large gave openai no draft: failing", "rejected draft of openai: ALTERED_QUOTE: It differs.", "no draft of openai: TIMEOUT",
        "found: returns (1) > 退货  bm25 1.50, cosine 0.50, fused 2.00  used", "found: 1 more",
        "beyond reach: a passage that was removed", "feedback: NOT_HELPFUL OUTDATED 旧",
        "a person was asked for by the customer: 请打电话", "verdict 1 of ann: RERANK_DROP",
        "a second model doubts part 1: not said",
    ):  # fmt: skip
        assert line in shown


@pytest.mark.parametrize(
    ("ending", "line"),
    [
        ({"outcome": None, "failureCode": "VALIDATION_FAILED"}, "failed: VALIDATION_FAILED\n"),
        (
            {"outcome": None, "failureCode": "VALIDATION_FAILED", "cause": "NOT_IN_FORCE"},
            "failed: VALIDATION_FAILED (NOT_IN_FORCE)",
        ),
        (
            {"outcome": {"answer": "", "refused": True, "reasonCode": "ESCALATION_TOPIC"}, "route": "ESCALATION_TOPIC",
             "routeRule": "complaint"},
            "refused: ESCALATION_TOPIC (no further cause)",
        ),
    ],
)  # fmt: skip
def test_every_ending_is_shown(ending: dict[str, object], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    show_detail(ReviewDetail.model_validate(_detail(**ending)))

    assert line in capsys.readouterr().out


def test_what_has_not_ended_and_what_was_erased_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    detail = ReviewDetail.model_validate({**_detail(), "ending": None})

    show_detail(detail)
    show_item(detail.item.model_copy(update={"question": None}))

    shown = capsys.readouterr().out
    assert "It has not ended." in shown
    assert "The question was erased." in shown
