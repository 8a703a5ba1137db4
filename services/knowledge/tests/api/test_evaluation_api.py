"""Reviewers run golden cases, publishers set thresholds, and a version that misses them is not published."""

from typing import Any

import pytest
from sqlalchemy import text

from contracts.service_token import StaffRole
from knowledge.api.gate import UnprovenSettingsError, refuse_unproven
from knowledge.tasks.bench import Bench
from runtime.database import Database
from tests.support.office import Office

pytestmark = pytest.mark.store


def _file(slug: str, body: str) -> tuple[str, bytes]:
    return f"{slug}.md", f"---\nslug: {slug}\nlabel: '1'\nlanguage: zh\n---\n{body}\n".encode()


_RETURNS = _file("returns", "# 退货\n\n签收后七天内可以退货，运费由商家承担。")
_HOSTILE = "<script>alert(1)</script>我要投诉你们"
_CASES: list[dict[str, Any]] = [  # JSON of any shape
    {"id": "g-1", "lang": "zh", "category": "returns", "question": "签收后七天内可以退货吗？",
     "acceptable_routes": ["answer"], "evidence": [{"doc_id": "returns", "quote": "七天内可以退货"}]},
    {"id": "s-1", "lang": "zh", "category": "escalate", "question": _HOSTILE, "acceptable_routes": ["escalate"],
     "set": "safety"},
]  # fmt: skip


class _Upgraded:
    async def settings_of(self, *, tenant: str, version: int) -> dict[str, str]:
        del tenant, version
        return {"prompt": "of the next release"}


async def _staged(office: Office) -> int:
    number: int = (await office.bring_in(_RETURNS))["version"]
    return number


async def _run(office: Office, number: int, **body: Any) -> dict[str, Any]:  # as above
    started = await office.call("POST", f"/versions/{number}/evaluations", "reviewer", **body)
    assert started.status_code == 202, started.text
    return (await office.call("GET", f"/evaluations/{started.json()['runId']}", "reviewer")).json()


async def _bound(office: Office, *bounds: dict[str, Any]) -> None:  # as above
    response = await office.call("PUT", "/evaluation-thresholds", "publisher", bounds=list(bounds))
    assert response.status_code == 200, response.text


async def test_a_version_is_blocked_until_it_reaches_the_thresholds(office: Office) -> None:
    number = await _staged(office)
    await office.call("POST", "/golden-cases", "reviewer", cases=_CASES)
    await _bound(office, {"metric": "routeAccuracy", "atLeast": 1}, {"metric": "failures", "atMost": 0})

    unmeasured = await office.call("POST", f"/versions/{number}/approve", "publisher")
    assert (unmeasured.status_code, unmeasured.json()["code"]) == (409, "EVALUATION_GATE")

    await _bound(office, {"metric": "routeAccuracy", "atMost": 0.1})
    run = await _run(office, number)
    assert (run["state"], run["verdict"], run["done"]) == ("DONE", "MISSED", 2)
    blocked = await office.call("POST", f"/versions/{number}/approve", "publisher")
    assert blocked.json()["code"] == "EVALUATION_GATE"
    assert "routeAccuracy<=0.1" in blocked.json()["detail"]
    assert (await office.call("GET", f"/versions/{number}", "owner")).json()["state"] == "EVALUATED"

    # A threshold that is changed after the run makes it no better.
    await _bound(office, {"metric": "routeAccuracy", "atLeast": 1})
    assert (await office.call("POST", f"/versions/{number}/approve", "publisher")).status_code == 409
    assert (await _run(office, number))["verdict"] == "PASSED"
    assert (await office.publish(number)).status_code == 200
    gate = (await office.call("GET", f"/versions/{number}", "owner")).json()["gate"]
    assert (gate["standing"], gate["open"]) == ("PASSED", True)


async def test_a_run_of_one_set_alone_undoes_nothing(office: Office) -> None:
    number = await _staged(office)
    unmet = {
        **_CASES[0],
        "id": "g-2",
        "question": "签收后七天内可以退货吗，运费谁承担？",
        "acceptable_routes": ["escalate"],
    }
    await office.call("POST", "/golden-cases", "reviewer", cases=[*_CASES, unmet])
    await _bound(office, {"metric": "routeAccuracy", "atLeast": 1})
    assert (await _run(office, number))["verdict"] == "MISSED"

    assert (await _run(office, number, caseSets=["safety"]))["verdict"] == "PASSED"

    assert (await office.call("GET", f"/versions/{number}/gate", "owner")).json()["standing"] == "MISSED"
    blocked = await office.call("POST", f"/versions/{number}/approve", "publisher")
    assert blocked.json()["code"] == "EVALUATION_GATE"


async def test_other_settings_block_until_they_are_measured(office: Office, bench: Bench, database: Database) -> None:
    number = await _staged(office)
    await office.call("POST", "/golden-cases", "reviewer", cases=_CASES)
    await _bound(office, {"metric": "failures", "atMost": 0})
    await _run(office, number)
    assert (await office.call("POST", f"/versions/{number}/approve", "publisher")).status_code == 200
    change = text("""UPDATE evaluation_run SET settings = settings || '{"prompt": "another"}'::jsonb""")
    with bench.database.transaction(office.tenant) as connection:
        connection.execute(change)

    blocked = await office.call("POST", f"/versions/{number}/publish", "publisher")

    assert blocked.json()["code"] == "EVALUATION_GATE"
    gate = (await office.call("GET", f"/versions/{number}/gate", "reviewer")).json()
    assert (gate["standing"], gate["settings"]) == ("OUTDATED", ["prompt"])
    await _run(office, number)
    assert (await office.call("POST", f"/versions/{number}/publish", "publisher")).status_code == 200

    # The same look is taken when a process starts.
    await refuse_unproven(database, [office.tenant], gatekeeper=_Upgraded(), refuses=False)
    with pytest.raises(UnprovenSettingsError, match="prompt"):
        await refuse_unproven(database, [office.tenant], gatekeeper=_Upgraded(), refuses=True)


async def test_what_answered_before_may_answer_again(office: Office) -> None:
    first = await _staged(office)
    assert (await office.publish(first)).status_code == 200
    second: int = (await office.bring_in(_RETURNS, _file("fees", "# 运费\n\n运费十元。")))["version"]
    assert (await office.publish(second)).status_code == 200
    await office.call("POST", "/golden-cases", "reviewer", cases=_CASES)
    await _bound(office, {"metric": "routeAccuracy", "atLeast": 1})

    assert (await office.call("GET", f"/versions/{first}/gate", "owner")).json()["standing"] == "NOT_EVALUATED"
    assert (await office.call("POST", f"/versions/{first}/publish", "publisher")).status_code == 200


async def test_without_thresholds_nothing_is_gated(office: Office) -> None:
    number = await _staged(office)

    gate = (await office.call("GET", f"/versions/{number}", "owner")).json()["gate"]

    assert (gate["standing"], gate["open"]) == ("NOT_GATED", True)
    assert (await office.call("GET", "/evaluation-thresholds", "owner")).json() == {"current": None, "items": []}
    assert (await office.publish(number)).status_code == 200


async def test_a_run_is_read_case_by_case_and_as_a_page(office: Office) -> None:
    number = await _staged(office)
    await office.call("POST", "/golden-cases", "reviewer", cases=_CASES)
    run = await _run(office, number, caseSets=["golden", "safety"])

    page = (await office.call("GET", f"/evaluations/{run['runId']}/cases?limit=1", "owner")).json()
    assert [row["golden"]["id"] for row in page["items"]] == ["g-1"]
    rest = await office.call("GET", f"/evaluations/{run['runId']}/cases?cursor={page['nextCursor']}", "owner")
    assert [row["golden"]["id"] for row in rest.json()["items"]] == ["s-1"]
    assert rest.json()["nextCursor"] is None
    shown = await office.call("GET", f"/evaluations/{run['runId']}/page", "owner")
    assert shown.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in shown.headers["content-security-policy"]
    assert "<script" not in shown.text
    listed = (await office.call("GET", f"/evaluations?version={number}", "owner")).json()["items"]
    assert [each["runId"] for each in listed] == [run["runId"]]
    measures = {each["metric"]: each for each in run["summary"]["measures"]}
    assert (measures["routeAccuracy"]["number"], measures["routeAccuracy"]["outOf"]) == (2, 2)


async def test_cases_are_kept_listed_and_retired(office: Office) -> None:
    kept = await office.call("POST", "/golden-cases", "reviewer", cases=_CASES)
    assert (kept.status_code, kept.json()) == (201, {"added": 2, "known": 0})
    again = await office.call("POST", "/golden-cases", "reviewer", cases=_CASES)
    assert again.json() == {"added": 0, "known": 2}
    taken = await office.call("POST", "/golden-cases", "reviewer", cases=[{**_CASES[0], "question": "别的？"}])
    assert (taken.status_code, taken.json()["code"]) == (409, "GOLDEN_CASE_TAKEN")

    retired = await office.call("POST", "/golden-cases/g-1/retire", "reviewer", reason="规则改了")
    assert retired.json()["retiredReason"] == "规则改了"
    listed = (await office.call("GET", "/golden-cases", "owner")).json()["items"]
    assert [each["golden"]["id"] for each in listed] == ["s-1"]
    whole = (await office.call("GET", "/golden-cases?retired=true&limit=1", "owner")).json()
    assert [each["golden"]["id"] for each in whole["items"]] == ["g-1"]
    assert whole["nextCursor"] == "g-1"
    acts = (await office.call("GET", "/audit?subject=case:g-1", "owner")).json()["items"]
    assert [each["act"] for each in acts] == ["GOLDEN_CASE_RETIRED", "GOLDEN_CASE_ADDED"]


@pytest.mark.parametrize(
    ("method", "path", "body", "allowed"),
    [
        ("PUT", "/evaluation-thresholds", {"bounds": []}, {"publisher"}),
        ("POST", "/golden-cases", {"cases": _CASES}, {"owner", "publisher", "reviewer", "operator"}),
        ("POST", "/golden-cases/x/retire", {"reason": "x"}, {"owner", "publisher", "reviewer", "operator"}),
        ("POST", "/versions/1/evaluations", {}, {"owner", "publisher", "reviewer", "operator"}),
    ],
)
async def test_who_may_do_what(
    office: Office, method: str, path: str, body: dict[str, Any], allowed: set[StaffRole]
) -> None:
    roles: tuple[StaffRole, ...] = ("owner", "publisher", "reviewer", "operator", "support")
    for role in roles:
        status = (await office.call(method, path, role, **body)).status_code
        assert (status != 403) is (role in allowed), role


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/versions/99/evaluations", {}, 404),
        ("GET", "/evaluations/run_0", {}, 404),
        ("GET", "/evaluations/job_00000000000070008000000000000000/page", {}, 404),
        ("GET", "/versions/99/gate", {}, 404),
        ("GET", "/golden-cases?cursor=%00", {}, 400),
        ("POST", "/golden-cases/nobody/retire", {"reason": "x"}, 404),
        ("POST", "/golden-cases/nobody/retire", {"reason": " \n"}, 400),
        ("POST", "/golden-cases", {"cases": []}, 400),
        ("POST", "/golden-cases", {"cases": [{**_CASES[0], "question": "\u0000"}]}, 400),
        ("POST", "/golden-cases", {"cases": [{**_CASES[0], "acceptable_routes": ["refuse:LUCK"]}]}, 400),
        ("PUT", "/evaluation-thresholds", {"bounds": [{"metric": "luck", "atLeast": 1}]}, 400),
        ("PUT", "/evaluation-thresholds", {"bounds": [{"metric": "routeAccuracy"}]}, 400),
    ],
)
async def test_what_makes_no_sense_is_refused(
    office: Office, method: str, path: str, body: dict[str, Any], status: int
) -> None:
    response = await office.call(method, path, "publisher", "reviewer", "owner", **body)

    assert response.status_code == status, response.text


async def test_a_run_without_cases_is_refused(office: Office) -> None:
    number = await _staged(office)

    refused = await office.call("POST", f"/versions/{number}/evaluations", "reviewer")

    assert (refused.status_code, refused.json()["code"]) == (409, "NO_GOLDEN_CASES")
