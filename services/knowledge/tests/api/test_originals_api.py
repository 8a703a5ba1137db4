"""Owners alone see originals: as attachments, on record, and gone when they say so."""

import pytest

from contracts.service_token import StaffRole
from tests.support.office import Office

pytestmark = pytest.mark.store

_BODY = "---\nslug: contact\nlabel: '1'\nlanguage: zh\n---\n# 联系\n\n电话 15800002605。\n"
_OTHERS: tuple[StaffRole, ...] = ("publisher", "reviewer", "operator", "support")


async def _only(office: Office) -> dict[str, object]:
    await office.bring_in(("政策/联系.md", _BODY.encode()))
    (listed,) = (await office.call("GET", "/originals", "owner")).json()["items"]
    return listed


async def test_an_owner_fetches_an_original_as_an_attachment_and_that_is_on_record(office: Office) -> None:
    listed = await _only(office)

    fetched = await office.call("GET", f"/revisions/{listed['revisionId']}/original", "owner")

    assert (fetched.status_code, fetched.content) == (200, _BODY.encode())
    assert {name: fetched.headers[name] for name in ("content-type", "x-content-type-options", "cache-control")} == {
        "content-type": "application/octet-stream", "x-content-type-options": "nosniff", "cache-control": "no-store",
    }  # fmt: skip
    saved_as = "attachment; filename=\"__.md\"; filename*=UTF-8''%E8%81%94%E7%B3%BB.md"
    assert fetched.headers["content-disposition"] == saved_as
    (act,) = (await office.call("GET", "/audit?act=ORIGINAL_FETCHED", "owner")).json()["items"]
    assert (act["actor"], act["subject"], act["detail"]) == (
        "staff-1",
        f"revision:{listed['revisionId']}",
        {"bytes": len(_BODY.encode())},
    )


async def test_a_deleted_original_stays_in_the_list_without_its_bytes(office: Office) -> None:
    listed = await _only(office)
    place = f"/revisions/{listed['revisionId']}/original"

    deleted = [(await office.call("DELETE", place, "owner")).status_code for _ in range(2)]

    assert deleted == [204, 204]
    assert (await office.call("GET", place, "owner")).status_code == 404
    (left,) = (await office.call("GET", "/originals?slug=contact", "owner")).json()["items"]
    assert (left["deletedBy"], left["sizeBytes"]) == ("staff-1", len(_BODY.encode()))
    acts = (await office.call("GET", "/audit?act=ORIGINAL_DELETED", "owner")).json()["items"]
    assert [each["detail"] for each in acts] == [{"revisions": [listed["revisionId"]]}]


async def test_originals_are_listed_page_by_page(office: Office) -> None:
    files = [(f"{slug}.md", _BODY.replace("contact", slug).encode()) for slug in ("a", "b", "c")]
    await office.bring_in(*files)

    slugs, cursor = list[str](), ""
    for _ in files:
        page = (await office.call("GET", f"/originals?limit=1&cursor={cursor}", "owner")).json()
        slugs += [each["slug"] for each in page["items"]]
        cursor = page["nextCursor"]

    assert (slugs, cursor) == (["a", "b", "c"], None)


@pytest.mark.parametrize("role", _OTHERS)
async def test_nobody_else_reaches_what_was_masked(office: Office, role: StaffRole) -> None:
    listed = await _only(office)
    place = f"/revisions/{listed['revisionId']}/original"

    refused = [
        (await office.call(method, path, role)).status_code
        for method, path in (("GET", "/originals"), ("GET", place), ("DELETE", place))
    ]

    assert refused == [403, 403, 403]


async def test_another_tenant_s_owner_finds_nothing(office: Office) -> None:
    listed = await _only(office)
    headers = office.bearer("owner", tenant=f"{office.tenant}-b")

    answer = await office.client.get(f"/v1/staff/revisions/{listed['revisionId']}/original", headers=headers)

    assert answer.status_code == 404


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/revisions/rev_nonsense/original", 404),
        ("/originals?cursor=nonsense", 400),
        ("/originals?slug=%00", 400),
        ("/originals?limit=101", 400),
    ],
)
async def test_what_nobody_has_is_told_plainly(office: Office, path: str, status: int) -> None:
    assert (await office.call("GET", path, "owner")).status_code == status
