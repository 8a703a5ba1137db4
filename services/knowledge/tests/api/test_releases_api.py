"""Staff bring a version from staged to published over HTTP, look at what speaks against it, and read who did what."""

import json
from typing import Any

import pytest

from contracts.service_token import StaffRole
from knowledge.versions.routing_policy import default_routing_policy
from tests.support.office import Office

pytestmark = pytest.mark.store

_RATE = {"number": 3, "out_of": 4}
_MEASURED: dict[str, Any] = {  # JSON of any shape
    "questions": 4, "failures": 0, "routesRight": _RATE, "evidenceHits": _RATE, "quotesVerbatim": _RATE,
    "unsupportedClaims": _RATE, "wrongAnswers": _RATE, "needlessRefusals": _RATE, "staleCitations": _RATE,
    "escalationsAnswered": 0, "secondsP50": 0.1, "secondsP95": None,
}  # fmt: skip
_EVALUATION: dict[str, Any] = {
    "total": _MEASURED,
    "missedBars": ["one bar is missed"],
    "groups": [{"category": "returns", "lang": "zh", **_MEASURED}],
    "questions": [{"question": "这一题不会留下"}],
}


def _file(slug: str, body: str, **keys: str) -> tuple[str, bytes]:
    front = "".join(
        f"{name}: {value}\n" for name, value in {"slug": slug, "label": "'1'", "language": "zh", **keys}.items()
    )
    return f"{slug}-{keys.get('label', '1')}.md".replace("'", ""), f"---\n{front}---\n{body}\n".encode()


_FEE = _file("help/fee", "# 运费\n\n运费十元。电话15800002605。", owner="olga", review_date="2020-01-01")


async def test_a_version_passes_from_staged_to_published(office: Office) -> None:
    await office.bring_in(_FEE)

    early = await office.call("POST", "/versions/1/publish", "publisher")
    evaluated = await office.call("PUT", "/versions/1/evaluation", "operator", **_EVALUATION)
    approved = await office.call("POST", "/versions/1/approve", "publisher")
    published = await office.call("POST", "/versions/1/publish", "publisher", expectedCurrent=None)
    read = (await office.call("GET", "/versions/1", "reviewer")).json()

    assert (early.status_code, early.json()["code"]) == (409, "NOT_PUBLISHABLE")
    assert [each.json()["state"] for each in (evaluated, approved)] == ["EVALUATED", "APPROVED"]
    assert published.json() == {"version": 1}
    assert (read["state"], read["evaluatedBy"], read["approvedBy"], read["publishedBy"]) == (
        "PUBLISHED",
        *["staff-1"] * 3,
    )
    assert read["evaluation"]["missedBars"] == ["one bar is missed"]
    assert read["evaluation"]["total"]["routesRight"] == _RATE
    assert "questions" not in read["evaluation"]
    assert (read["masks"], sum(read["masksByKind"].values())) == (1, 1)
    assert read["changes"] == {"added": 1, "changed": 0, "removed": 0, "unchanged": 0}


@pytest.mark.parametrize(
    "change",
    [
        {"total": None},
        {"missedBars": ["x"] * 51},
        {"missedBars": ["x\0"]},
        {"groups": [{"category": "\0", "lang": "zh", **_MEASURED}]},
        {"groups": [{"category": "x" * 101, "lang": "zh", **_MEASURED}]},
        {"total": {**_MEASURED, "questions": -1}},
        {"total": {**_MEASURED, "more": 1}},
    ],
)
async def test_an_evaluation_has_a_bounded_shape(office: Office, change: dict[str, Any]) -> None:
    answer = await office.call("PUT", "/versions/1/evaluation", "owner", **(_EVALUATION | change))

    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")


async def test_an_evaluation_without_a_number_for_a_time_is_refused(office: Office) -> None:
    body = json.dumps(_EVALUATION | {"total": {**_MEASURED, "secondsP50": float("inf")}})
    headers = office.bearer("owner") | {"content-type": "application/json"}

    answer = await office.client.put("/v1/staff/versions/1/evaluation", content=body, headers=headers)

    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")


async def test_a_version_that_waits_is_discarded_and_stays_so(office: Office) -> None:
    await office.bring_in(_FEE)

    discarded = await office.call("POST", "/versions/1/discard", "owner")
    approved = await office.call("POST", "/versions/1/approve", "publisher")

    assert (discarded.json()["state"], discarded.json()["discardedBy"]) == ("DISCARDED", "staff-1")
    assert (approved.status_code, approved.json()["code"]) == (409, "VERSION_STATE")


async def test_a_document_is_read_with_its_timeline_and_differences(office: Office) -> None:
    await office.bring_in(_FEE)
    await office.publish(1)
    await office.bring_in(_file("help/fee", "# 运费\n\n运费二十元。", owner="otto"), _file("new", "# 新\n\n新的。"))
    await office.publish(2)

    document = (await office.call("GET", "/documents/help/fee", "reviewer")).json()
    old, new = sorted(document["revisions"], key=lambda each: each["versions"])
    text = (await office.call("GET", f"/revisions/{new['revisionId']}", "reviewer")).json()
    path = f"/revisions/{new['revisionId']}/differences?before={old['revisionId']}"
    difference = (await office.call("GET", path, "reviewer")).json()
    timeline = (await office.call("GET", "/documents/help/fee/timeline", "reviewer")).json()
    versions = (await office.call("GET", "/versions/2/differences?before=1", "reviewer")).json()

    assert (old["owner"], new["owner"], new["isCurrent"], text["text"].strip()) == (
        "olga",
        "otto",
        True,
        "# 运费\n\n运费二十元。",
    )
    assert [each["field"] for each in difference["fields"]] == ["owner", "review_date"]
    assert [each["kind"] for each in difference["changes"]] == ["same", "changed", "removed"]
    assert [each["kind"] for each in timeline["entries"] if each["version"] == 2] == ["DROPPED", "BROUGHT"]
    assert [(each["slug"], each["kind"]) for each in versions["items"]] == [("help/fee", "changed"), ("new", "added")]
    assert versions["nextCursor"] is None


async def test_differences_of_versions_come_in_pages(office: Office) -> None:
    await office.bring_in(_file("same", "# 旧\n\n不变。"))
    await office.bring_in(*(_file(f"d{number}", f"# 新\n\n第{number}。") for number in range(3)))

    first = (await office.call("GET", "/versions/2/differences?before=1&limit=2", "reviewer")).json()
    path = f"/versions/2/differences?before=1&limit=2&cursor={first['nextCursor']}"
    second = (await office.call("GET", path, "reviewer")).json()

    assert [each["slug"] for each in (*first["items"], *second["items"])] == ["d0", "d1", "d2", "same"]


async def test_a_changed_routing_policy_is_a_difference_though_no_document_changed(office: Office) -> None:
    await office.bring_in(_FEE)
    stricter = default_routing_policy().replace("mode: whole", "mode: verified_sentences")
    await office.bring_in(_FEE, routingPolicy=stricter)

    found = (await office.call("GET", "/versions/2/differences?before=1", "reviewer")).json()

    same = (await office.call("GET", "/versions/2/differences?before=2", "reviewer")).json()

    assert (same["items"], same["behind"]) == ([], [])
    assert found["items"] == []
    assert found["behind"] == [{"field": "routing_policy.mode", "before": "whole", "after": "verified_sentences"}]


async def test_a_withdrawal_is_undone_by_a_publisher(office: Office) -> None:
    await office.bring_in(_FEE)
    await office.publish(1)
    await office.call("POST", "/documents/help/fee/withdraw", "owner")

    refused = await office.call("POST", "/documents/help/fee/restore", "owner")
    restored = await office.call("POST", "/documents/help/fee/restore", "publisher")
    (document,) = (await office.call("GET", "/documents", "owner")).json()["items"]

    assert (refused.status_code, restored.json(), document["withdrawnAt"]) == (403, {"slug": "help/fee"}, None)


async def test_what_is_due_is_listed(office: Office) -> None:
    await office.bring_in(_FEE)
    await office.publish(1)

    due = (await office.call("GET", "/agenda?days=7", "owner")).json()

    assert [(each["slug"], each["owner"], each["leavesGap"]) for each in due["overdue"]] == [
        ("help/fee", "olga", False)
    ]
    assert (due["upcoming"], due["expiring"], due["days"]) == ([], [], 7)


async def test_the_trail_says_who_did_what_page_by_page(office: Office) -> None:
    await office.bring_in(_FEE)
    await office.publish(1)
    await office.call("POST", "/documents/help/fee/withdraw", "owner")

    first = (await office.call("GET", "/audit?limit=2", "operator")).json()
    rest = (await office.call("GET", f"/audit?limit=100&cursor={first['nextCursor']}", "operator")).json()
    version = (await office.call("GET", "/audit?subject=version:1", "operator")).json()

    assert [each["act"] for each in first["items"]] == ["DOCUMENT_WITHDRAWN", "VERSION_PUBLISHED"]
    assert first["items"][0]["subject"] == "document:help/fee"
    assert (first["items"][0]["actor"], first["items"][0]["roles"]) == ("staff-1", ["owner"])
    assert "VERSION_APPROVED" in [each["act"] for each in rest["items"]]
    assert rest["nextCursor"] is None
    assert {each["subject"] for each in version["items"]} == {"version:1"}


async def test_notices_are_listed(office: Office) -> None:
    assert (await office.call("GET", "/notices", "owner")).json() == {"items": [], "nextCursor": None}


@pytest.mark.parametrize(
    ("method", "path", "roles", "status"),
    [
        ("POST", "/versions/1/approve", ("owner", "reviewer"), 403),
        ("POST", "/versions/1/discard", ("operator",), 403),
        ("PUT", "/versions/1/evaluation", ("reviewer",), 403),
        ("GET", "/audit", ("reviewer", "support"), 403),
        ("POST", "/versions/9/approve", ("publisher",), 404),
        ("POST", "/versions/9/discard", ("publisher",), 404),
        ("GET", "/versions/9", ("owner",), 404),
        ("GET", "/versions/9/differences?before=1", ("owner",), 404),
        ("GET", "/versions/9/duplicates", ("owner",), 404),
        ("GET", "/documents/x", ("owner",), 404),
        ("GET", "/documents/x%00y", ("owner",), 404),
        ("GET", "/documents/x%00y/timeline", ("owner",), 404),
        ("POST", "/documents/x%00y/withdraw", ("owner",), 404),
        ("POST", "/documents/x%00y/restore", ("publisher",), 404),
        ("GET", "/documents?cursor=x%00y", ("owner",), 400),
        ("GET", "/versions?cursor=99999999999", ("owner",), 400),
        ("GET", "/audit?subject=x%00y", ("owner",), 400),
        ("GET", "/audit?cursor=99999999999999999999", ("owner",), 400),
        ("GET", "/notices?cursor=x%00y", ("owner",), 400),
        ("GET", "/versions/1/duplicates?cursor=99999999999", ("owner",), 400),
        ("GET", f"/imports/job_{'0' * 32}/problems?cursor=99999999999999999999", ("owner",), 400),
        ("GET", "/mask-allowances?cursor=x%00y", ("owner",), 400),
        ("GET", "/revisions/rev_x", ("owner",), 404),
        ("GET", f"/revisions/rev_{'0' * 32}", ("owner",), 404),
        ("GET", "/agenda?days=9999", ("owner",), 400),
    ],
)
async def test_what_staff_may_not_do_or_does_not_exist(
    office: Office, method: str, path: str, roles: tuple[StaffRole, ...], status: int
) -> None:
    body = _EVALUATION if method == "PUT" else {}
    answer = await office.call(method, path, *roles, **body)

    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
