"""Reviewers work through doubtful answers over HTTP, and owners hear what came of it."""

import threading
from typing import Any

import httpx
import pytest

from contracts.ids import parsed, printed, uuid7
from contracts.service_token import StaffRole
from knowledge.adapters.searcher import DatabaseSearcher
from knowledge.answering.log import LoggedDraft, LoggedFault
from knowledge.api import review
from knowledge.ingestion.importing import FaultyFile, SourceFile, read_file
from knowledge.review.store import erase
from knowledge.review.store.parking import PARKING
from runtime.database import Database, SyncDatabase
from runtime.receiving import Receiver
from services.knowledge.tests.review.making import judged, log_attempt, take, wished
from tests.support.office import Office
from tests.support.receiving import receiver_of

pytestmark = pytest.mark.store

_FILE = "---\nslug: help/returns\nlabel: '1'\nlanguage: zh\nowner: ann\n---\n# 退货\n\n茶壶可以在九天内退回。\n"
_REJECTED = LoggedDraft(
    writer="openai", raw="茶壶可以在九十天内退回。", claimed=((None, "九十天"),), trouble=None, usage=None,
    faults=(LoggedFault(code="ALTERED_QUOTE", part=0, citation=0, detail="It stands in no passage."),),
)  # fmt: skip

Json = dict[str, Any]  # of any shape


@pytest.fixture
def inbox(sync_database: SyncDatabase) -> Receiver:
    return receiver_of(sync_database, PARKING)


@pytest.fixture
async def attempt(office: Office, database: Database, searcher: DatabaseSearcher, inbox: Receiver) -> str:
    """Answer a question from a published policy; its customer is not helped."""
    await office.bring_in(("returns.md", _FILE.encode()))
    await office.publish(1)
    asked = await log_attempt(database, office.tenant, searcher=searcher, drafts=(_REJECTED,))
    said = judged(office.tenant, asked.attempt_id, comment="电话 13800138000 没人接")
    take(inbox, said)
    return printed("att", asked.attempt_id)


async def read(office: Office, path: str, *roles: StaffRole) -> Json:
    return (await office.call("GET", path, *(roles or ("reviewer",)))).raise_for_status().json()


async def post(office: Office, path: str, *roles: StaffRole, **body: Any) -> httpx.Response:  # JSON of any shape
    return await office.call("POST", path, *(roles or ("reviewer",)), **body)


async def test_a_reviewer_sees_everything_about_an_attempt(office: Office, attempt: str) -> None:
    (listed,) = (await read(office, "/review/items"))["items"]
    detail = await read(office, f"/review/items/{attempt}")

    assert listed == detail["item"]
    assert (listed["attemptId"], listed["reasons"], listed["question"]) == (
        attempt, ["VALIDATION_FAILED", "NOT_HELPFUL"], "茶壶几天内可以退？"
    )  # fmt: skip
    assert (detail["question"]["audience"], detail["question"]["language"]) == (["public"], "zh")
    ending = detail["ending"]
    assert (ending["outcome"]["refused"], ending["version"]) == (False, 1)
    assert [each["quote"] for each in ending["citations"]] == ["茶壶可以在九天内退回。"]
    (candidate,) = ending["candidates"]
    assert (candidate["slug"], candidate["label"], candidate["section"], candidate["inContext"]) == (
        "help/returns", "1", "退货", True
    )  # fmt: skip
    assert candidate["scores"]["bm25"] > 0
    assert [(each["writer"], [fault["code"] for fault in each["faults"]]) for each in ending["drafts"]] == [
        ("openai", ["ALTERED_QUOTE"]), ("extractive", [])
    ]  # fmt: skip
    assert (detail["feedback"]["reasonCode"], detail["feedback"]["comment"]) == ("OUTDATED", "电话 [phone] 没人接")


async def test_a_note_is_masked_beside_the_loop_that_serves_everybody(
    office: Office, attempt: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The first mask of a process loads what it knows names by, which takes seconds.
    masking: list[threading.Thread] = []

    def masked(note: str) -> str:
        masking.append(threading.current_thread())
        return note

    monkeypatch.setattr(review, "mask", masked)
    await post(office, "/review/take")

    said = await post(office, f"/review/items/{attempt}/verdicts", layer="CORRECT", note="看过了")

    assert said.is_success
    assert masking
    assert threading.current_thread() not in masking


async def test_an_item_is_taken_kept_judged_and_judged_again(office: Office, attempt: str) -> None:
    other = office.colleague("bob")
    path = f"/review/items/{attempt}"

    early = await post(office, f"{path}/verdicts", layer="CORRECT")
    taken = (await post(office, "/review/take")).json()["item"]
    refused = await post(other, f"{path}/take")
    renewed = await post(office, f"{path}/renew")
    nothing = await post(other, "/review/take")
    first = await post(office, f"{path}/verdicts", layer="RERANK_DROP", note="见 13800138000")
    repeat = await post(office, f"{path}/verdicts", layer="RERANK_DROP", note="见 13800138000")
    unread = await post(other, f"{path}/verdicts", layer="CORRECT")
    second = await post(other, f"{path}/verdicts", layer="CORRECT", seen=1)
    late = await post(office, f"{path}/take")

    assert [(each.status_code, each.json()["code"]) for each in (early, refused, unread, late)] == [
        (409, "NOT_HELD"), (409, "HELD_BY_ANOTHER"), (409, "VERDICT_MEANWHILE"), (409, "ITEM_CLOSED")
    ]  # fmt: skip
    assert (taken["attemptId"], taken["heldBy"], nothing.json()) == (attempt, "staff-1", {"item": None})
    assert renewed.json()["heldUntil"] > taken["heldUntil"]
    assert (first.json(), first.json()["note"]) == (repeat.json(), "见 [phone]")
    verdicts = (await read(office, path))["verdicts"]
    assert verdicts == [first.json(), second.json()]
    assert [(each["number"], each["layer"], each["reviewer"]) for each in verdicts] == [
        (1, "RERANK_DROP", "staff-1"), (2, "CORRECT", "bob")
    ]  # fmt: skip
    assert (await read(office, "/review/items"))["items"] == []
    assert 'youju_review_verdicts_total{layer="RERANK_DROP"}' in (await office.client.get("/metrics")).text


async def test_a_released_item_is_for_everybody(office: Office, attempt: str) -> None:
    await post(office, f"/review/items/{attempt}/take")

    released = await post(office, f"/review/items/{attempt}/release")
    taken = await post(office.colleague("bob"), "/review/take")

    assert (released.json()["heldBy"], taken.json()["item"]["heldBy"]) == (None, "bob")


async def test_news_bring_a_closed_item_back(office: Office, attempt: str, inbox: Receiver) -> None:
    await post(office, "/review/take")
    await post(office, f"/review/items/{attempt}/verdicts", layer="CORRECT")
    said = wished(office.tenant, parsed("att", attempt), note="打电话")
    take(inbox, said)

    (listed,) = (await read(office, "/review/items?reason=ESCALATED"))["items"]
    assert (listed["attemptId"], listed["verdicts"], listed["state"]) == (attempt, 1, "OPEN")


async def test_pages_of_the_queue_follow_one_another(office: Office, database: Database, attempt: str) -> None:
    second = printed("att", (await log_attempt(database, office.tenant, drafts=(_REJECTED,))).attempt_id)

    first = await read(office, "/review/items?limit=1")
    rest = await read(office, f"/review/items?limit=1&cursor={first['nextCursor']}")

    assert [each["attemptId"] for page in (first, rest) for each in page["items"]] == [attempt, second]
    assert rest["nextCursor"] is None


async def test_a_golden_case_is_made_once(office: Office, attempt: str) -> None:
    path = f"/review/items/{attempt}/cases"
    evidence = [{"document": "help/returns", "heading": "退货"}]
    wanted = {"category": "returns", "routes": ["answer"], "evidence": evidence}

    made = [(await post(office, path, **wanted)).json() for _ in range(2)]
    other = await post(office, path, **{**wanted, "category": "other"})
    safety = await post(office, path, caseId="s-1", set="safety", category="x", routes=["refuse:ESCALATION_TOPIC"])

    assert [(each["caseId"], each["isNew"]) for each in made] == [
        (f"review-{attempt.removeprefix('att_')}", True), (f"review-{attempt.removeprefix('att_')}", False)
    ]  # fmt: skip
    assert (other.status_code, safety.json()) == (409, {"caseId": "s-1", "isNew": True})


@pytest.mark.parametrize(
    "evidence",
    [
        {"document": "help/returns", "quote": "茶壶可以在十天内退回。"},
        {"document": "help/returns", "heading": "运费"},
        {"document": "help/returns", "revision": "2", "heading": "退货"},
        {"document": "help/other", "quote": "茶壶可以在九天内退回。"},
    ],
)
async def test_evidence_must_stand_in_the_document_it_names(
    office: Office, attempt: str, evidence: dict[str, str]
) -> None:
    refused = await post(office, f"/review/items/{attempt}/cases", category="x", routes=["answer"], evidence=[evidence])

    assert (refused.status_code, refused.json()["code"]) == (400, "EVIDENCE_NOT_FOUND")


@pytest.mark.parametrize(
    ("result", "body"),
    [
        ("verdicts", {"layer": "ROUTING", "note": "  "}),
        ("cases", {"category": " ", "routes": ["answer"]}),
        ("cases", {"category": "x", "routes": ["answer"], "question": "\n"}),
        ("proposals", {"slug": "a", "title": "a", "body": " \n "}),
    ],
)
async def test_what_is_blank_says_nothing(office: Office, attempt: str, result: str, body: dict[str, object]) -> None:
    refused = await post(office, f"/review/items/{attempt}/{result}", **body)

    assert (refused.status_code, refused.json()["code"]) == (400, "INVALID_REQUEST")


async def test_an_erased_item_is_beyond_judgement(office: Office, attempt: str, sync_database: SyncDatabase) -> None:
    with sync_database.transaction(office.tenant) as connection:
        erase(connection, attempt_ids=[parsed("att", attempt)])

    erased = await read(office, f"/review/items/{attempt}")
    refused = await post(office, f"/review/items/{attempt}/verdicts", layer="CORRECT")

    assert (erased["item"]["state"], erased["feedback"]) == ("ERASED", None)
    assert (refused.status_code, refused.json()["code"]) == (409, "ITEM_CLOSED")


async def test_a_proposal_is_a_file_that_an_import_reads(office: Office, attempt: str) -> None:
    wanted = {"slug": "help/kettles", "title": "水壶", "body": "水壶可以在九天内退回。"}
    made = [(await post(office, f"/review/items/{attempt}/proposals", **wanted)).json() for _ in range(2)]
    path = f"/proposals/{made[0]['proposalId']}"

    (listed,) = (await read(office, "/proposals?state=PROPOSED", "owner"))["items"]
    file = await office.call("GET", f"{path}/file", "owner")
    accepted = [await post(office, f"{path}/decision", "owner", state="ACCEPTED", reason="好") for _ in range(2)]
    declined = await post(office, f"{path}/decision", "owner", state="DECLINED")

    assert made[0] == made[1] == listed
    assert (listed["question"], listed["state"]) == ("茶壶几天内可以退？", "PROPOSED")
    draft = read_file(SourceFile(path="kettles.md", content=file.content, header=None))
    assert not isinstance(draft, FaultyFile), draft
    assert (draft.slug, draft.title, "茶壶几天内" in draft.source) == ("help/kettles", "水壶", False)
    assert [each.json()["state"] for each in accepted] == ["ACCEPTED", "ACCEPTED"]
    assert (declined.status_code, declined.json()["code"]) == (409, "PROPOSAL_DECIDED")
    assert (await read(office, "/versions", "owner"))["items"][0]["number"] == 1


async def test_a_proposal_keeps_nothing_of_a_customer_that_a_reviewer_types(office: Office, attempt: str) -> None:
    path = f"/review/items/{attempt}/proposals"
    typed = {
        "slug": "help/calls",
        "title": "致电 13800138000",
        "body": "如 13900139000 的顾客所说，可致信 support@shop.example。",
    }

    made = [(await post(office, path, **typed)).json() for _ in range(2)]
    proposal = f"/proposals/{made[0]['proposalId']}"
    decided = await post(office, f"{proposal}/decision", "owner", state="DECLINED", reason="问过 13700137000")
    file = await office.call("GET", f"{proposal}/file", "owner")

    assert made[0] == made[1]
    assert (made[0]["title"], made[0]["body"]) == (
        "致电 [phone]",
        "如 [phone] 的顾客所说，可致信 support@shop.example。",
    )
    assert decided.json()["decision"] == "问过 [phone]"
    assert not any(number in file.text for number in ("13800138000", "13900139000"))


async def test_answers_that_cited_a_document_are_listed_when_it_is_withdrawn(
    office: Office, database: Database, searcher: DatabaseSearcher, attempt: str
) -> None:
    newer = printed("att", (await log_attempt(database, office.tenant, searcher=searcher)).attempt_id)

    withdrawn = await post(office, "/documents/help/returns/withdraw", "owner")
    first = await read(office, "/documents/help/returns/answers?limit=1")
    rest = await read(office, f"/documents/help/returns/answers?limit=1&cursor={first['nextCursor']}")
    (found,) = first["items"]
    by_revision = await read(office, f"/documents/help/returns/answers?revision={found['revisionId']}")
    of_others = await read(office, f"/documents/help/returns/answers?revision={printed('rev', uuid7())}")

    assert withdrawn.json()["answers"] == 2
    assert [each["attemptId"] for page in (first, rest) for each in page["items"]] == [newer, attempt]
    assert (found["label"], found["question"], rest["nextCursor"]) == ("1", "茶壶几天内可以退？", None)
    assert (len(by_revision["items"]), of_others["items"]) == (2, [])


async def test_what_could_not_be_taken_is_listed_for_operators(office: Office, inbox: Receiver) -> None:
    for _ in range(2):
        said = judged(office.tenant, uuid7())
        take(inbox, said.model_copy(update={"data": {}}))

    first = await read(office, "/inbox/parked?limit=1", "operator")
    rest = await read(office, f"/inbox/parked?cursor={first['nextCursor']}", "operator")

    assert [each["reason"] for page in (first, rest) for each in page["items"]] == ["MALFORMED", "MALFORMED"]
    assert rest["nextCursor"] is None


_ASKED: tuple[tuple[str, str, StaffRole, int], ...] = (
    ("GET", "/review/items", "owner", 403),
    ("GET", "/review/items", "support", 403),
    ("POST", "/review/take", "publisher", 403),
    ("POST", "/review/items/{}/verdicts", "owner", 403),
    ("POST", "/review/items/{}/cases", "publisher", 403),
    ("POST", "/review/items/{}/proposals", "owner", 403),
    ("GET", "/proposals", "publisher", 403),
    ("POST", "/proposals/prp_1/decision", "reviewer", 403),
    ("GET", "/inbox/parked", "reviewer", 403),
    ("GET", "/review/items/att_1", "reviewer", 404),
    ("GET", "/proposals/prp_1", "owner", 404),
    ("POST", "/review/items/{}/take", "reviewer", 404),
    ("GET", "/review/items?cursor=x", "reviewer", 400),
    ("GET", "/proposals?cursor=x", "reviewer", 400),
    ("GET", "/documents/a/answers?cursor=x", "reviewer", 400),
    ("GET", "/inbox/parked?cursor=x", "operator", 400),
)


async def test_each_role_has_its_part_and_what_is_unknown_is_not_found(office: Office) -> None:
    unknown = printed("att", uuid7())

    answers = [
        (await office.call(method, path.format(unknown), role, layer="CORRECT", state="ACCEPTED")).status_code
        for method, path, role, _ in _ASKED
    ]

    assert answers == [status for *_, status in _ASKED]


async def test_another_tenant_sees_nothing(office: Office, attempt: str) -> None:
    proposal = await post(office, f"/review/items/{attempt}/proposals", slug="a", title="a", body="a")
    others = office.colleague("eve", tenant=f"{office.tenant}-b")

    assert (await read(others, "/review/items"))["items"] == []
    assert (await post(others, "/review/take")).json() == {"item": None}
    assert (await read(others, "/proposals"))["items"] == []
    assert (await read(others, "/documents/help/returns/answers"))["items"] == []
    for path in (f"/review/items/{attempt}", f"/proposals/{proposal.json()['proposalId']}"):
        assert (await others.call("GET", path, "reviewer")).status_code == 404
