"""Staff bring policies in over HTTP: their roles, their tenant, and what they are told."""

import base64

import pytest

from contracts.ids import uuid7
from contracts.service_token import StaffRole
from knowledge.versions.store import imports
from tests.support.office import Office

pytestmark = pytest.mark.store

_FILE = "---\nslug: help/returns\nlabel: '1'\nlanguage: zh\n---\n# 退货\n\n七天内可以退货。\n"


async def test_a_policy_goes_in_is_published_and_withdrawn(office: Office) -> None:
    done = await office.bring_in(("returns.md", _FILE.encode()))

    assert done == {
        "importId": done["importId"], "status": "STAGED", "step": "DONE", "filesTotal": 1, "filesDone": 1,
        "passages": 1, "vectors": 1, "secondsLeft": None, "problems": [], "problemsTotal": 0, "reason": None,
        "version": 1, "changes": {"added": 1, "changed": 0, "removed": 0, "unchanged": 0},
    }  # fmt: skip
    assert (await office.call("GET", "/documents", "reviewer")).json() == {"items": [], "nextCursor": None}
    published = await office.publish(1)
    assert (published.status_code, published.json()) == (200, {"version": 1})
    (listed,) = (await office.call("GET", "/versions", "reviewer")).json()["items"]
    assert (listed["number"], listed["state"], listed["documents"], listed["publishedBy"]) == (
        1,
        "PUBLISHED",
        1,
        "staff-1",
    )
    withdrawn = await office.call("POST", "/documents/help/returns/withdraw", "owner")
    again = await office.call("POST", "/documents/help/returns/withdraw", "owner")
    assert withdrawn.json() == again.json()
    (document,) = (await office.call("GET", "/documents", "owner")).json()["items"]
    assert (document["slug"], document["withdrawnAt"]) == ("help/returns", withdrawn.json()["withdrawnAt"])


async def test_problems_of_an_import_name_file_and_field(office: Office) -> None:
    done = await office.bring_in(("a.md", b""), ("b.md", _FILE.replace("language: zh", "language: fr").encode()))

    assert (done["status"], done["version"]) == ("FAILED", None)
    assert [(each["path"], each["field"]) for each in done["problems"]] == [("a.md", "content"), ("b.md", "language")]
    assert all(each["sentence"].endswith(".") for each in done["problems"])


async def test_a_started_import_takes_no_more_files(office: Office) -> None:
    done = await office.bring_in(("returns.md", _FILE.encode()))
    file = {"path": "b.md", "contentBase64": ""}

    refused = await office.call("POST", f"/imports/{done['importId']}/files", "owner", files=[file])

    assert (refused.status_code, refused.json()["code"]) == (409, "IMPORT_STARTED")


async def test_masks_are_listed_page_by_page_and_an_owner_allows_one(office: Office) -> None:
    await office.bring_in(("returns.md", f"{_FILE}\n电话 15800002605，邮箱 li.lei@shop.example。\n".encode()))

    first = (await office.call("GET", "/versions/1/masks?limit=1", "reviewer")).json()
    rest = (await office.call("GET", f"/versions/1/masks?cursor={first['nextCursor']}", "reviewer")).json()
    (phone,), (mailbox,) = first["items"], rest["items"]
    path = f"/mask-allowances/{phone['hash']}"
    allowed = [await office.call("PUT", path, "owner") for _ in range(2)]
    listed = (await office.call("GET", "/mask-allowances", "owner")).json()
    ended = [await office.call("DELETE", path, "owner") for _ in range(2)]

    assert (phone["kind"], mailbox["kind"], rest["nextCursor"]) == ("phone", "email", None)
    assert "电话 [phone]，邮箱 [email]。" in phone["context"]
    assert [each.status_code for each in (*allowed, *ended)] == [200, 200, 204, 204]
    assert listed == {"items": [allowed[0].json()], "nextCursor": None}
    assert allowed[0].json() == allowed[1].json()


@pytest.mark.parametrize(
    ("method", "path", "roles", "status"),
    [
        ("POST", "/imports", ("publisher", "reviewer"), 403),
        ("POST", "/versions/1/publish", ("owner",), 403),
        ("POST", "/documents/x/withdraw", ("publisher",), 403),
        ("POST", "/documents/x/withdraw", ("owner",), 404),
        ("POST", "/versions/9/publish", ("publisher",), 404),
        ("GET", "/imports/job_00", ("owner",), 404),
        ("GET", f"/imports/job_{uuid7().hex}", ("owner",), 404),
        ("GET", "/versions?limit=101", ("owner",), 400),
        ("GET", "/versions?cursor=x", ("owner",), 400),
        ("GET", "/versions/9/masks", ("owner",), 404),
        ("GET", "/versions/1/masks?cursor=x", ("owner",), 400),
        ("GET", "/versions/1/masks?cursor=bnVsbA==", ("owner",), 400),
        ("PUT", f"/mask-allowances/{'a' * 64}", ("publisher", "reviewer"), 403),
        ("DELETE", f"/mask-allowances/{'a' * 64}", ("publisher",), 403),
        ("PUT", "/mask-allowances/15800002605", ("owner",), 400),
    ],
)
async def test_what_staff_may_not_do_or_does_not_exist(
    office: Office, method: str, path: str, roles: tuple[StaffRole, ...], status: int
) -> None:
    answer = await office.call(method, path, *roles)

    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")


async def test_a_file_that_is_not_base64_and_a_bad_routing_policy_are_told(office: Office) -> None:
    policy = await office.call("POST", "/imports", "owner", routingPolicy="name: [")
    import_id = (await office.call("POST", "/imports", "owner")).json()["importId"]
    file = await office.call(
        "POST", f"/imports/{import_id}/files", "owner", files=[{"path": "a.md", "contentBase64": "%"}]
    )

    assert (policy.status_code, policy.json()["code"]) == (400, "INVALID_ROUTING_POLICY")
    assert (file.status_code, "a.md" in file.json()["detail"]) == (400, True)


async def test_another_tenants_ids_are_not_there(office: Office) -> None:
    done = await office.bring_in(("returns.md", _FILE.encode()))
    foreign = office.bearer("owner", "publisher", tenant=f"{office.tenant}-b")

    for method, path in (
        ("GET", f"imports/{done['importId']}"),
        ("POST", f"imports/{done['importId']}/start"),
        ("POST", "versions/1/publish"),
        ("POST", "documents/help/returns/withdraw"),
    ):
        answer = await office.client.request(method, f"/v1/staff/{path}", headers=foreign)
        assert (path, answer.status_code) == (path, 404)


@pytest.mark.parametrize(
    "change",
    [
        {"path": "a\0.md"},
        {"header": {"title": "a\0b"}},
        {"header": {"tags": ["fine", "\x1b"]}},
        {"header": {"a\0": "b"}},
    ],
)
async def test_what_no_text_may_hold_is_refused_before_it_is_stored(office: Office, change: dict[str, object]) -> None:
    import_id = (await office.call("POST", "/imports", "owner")).json()["importId"]
    file = {"path": "a.md", "contentBase64": base64.b64encode(_FILE.encode()).decode()} | change

    answer = await office.call("POST", f"/imports/{import_id}/files", "owner", files=[file])

    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")
    assert "control character" in answer.json()["detail"]


async def test_only_staff_of_a_known_tenant_come_in(office: Office) -> None:
    path = "/v1/staff/versions"

    nobody = await office.client.get(path)
    customer = await office.client.get(path, headers=office.bearer("owner", audience="knowledge"))
    unknown = await office.client.get(path, headers=office.bearer("owner", tenant="nowhere"))
    forged = await office.client.get(path, headers={"authorization": "Bearer x.y.z"})

    assert [each.status_code for each in (nobody, customer, unknown, forged)] == [401, 401, 404, 401]
    assert nobody.headers["www-authenticate"] == "Bearer"


async def test_an_import_past_its_size_is_told_and_keeps_what_it_had(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imports, "LARGEST_IMPORT_BYTES", 100)
    opened = await office.call("POST", "/imports", "owner")
    path = f"/imports/{opened.json()['importId']}"
    half = base64.b64encode(b"x" * 60).decode()
    await office.call("POST", f"{path}/files", "owner", files=[{"path": "a.md", "contentBase64": half}])

    refused = await office.call("POST", f"{path}/files", "owner", files=[{"path": "b.md", "contentBase64": half}])

    assert (refused.status_code, refused.json()["code"]) == (413, "IMPORT_TOO_LARGE")
    assert (await office.call("GET", path, "owner")).json()["filesTotal"] == 1


async def test_documents_come_in_pages(office: Office) -> None:
    files = [(f"{n}.md", _FILE.replace("help/returns", f"d{n}").encode()) for n in range(3)]
    await office.bring_in(*files)
    await office.publish(1)

    first = (await office.call("GET", "/documents?limit=2", "owner")).json()
    second = (await office.call("GET", f"/documents?limit=2&cursor={first['nextCursor']}", "owner")).json()

    assert [each["slug"] for each in (*first["items"], *second["items"])] == ["d0", "d1", "d2"]
    assert second["nextCursor"] is None


async def test_the_description_knows_problems_and_no_422(office: Office) -> None:
    described = (await office.client.get("/openapi.json")).json()

    operations = [operation for path in described["paths"].values() for operation in path.values()]
    assert all("422" not in operation["responses"] for operation in operations)
    assert all("application/problem+json" in each["responses"]["401"]["content"] for each in operations)
