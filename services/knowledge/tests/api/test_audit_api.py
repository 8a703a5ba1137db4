"""The audit trail is read by subject, act, actor and time."""

from datetime import UTC, datetime, timedelta
from urllib.parse import quote

import pytest

from tests.support.office import Office

pytestmark = pytest.mark.store

_FILE = "---\nslug: returns\nlabel: '1'\nlanguage: zh\n---\n# 退货\n\n七天内可以退货。\n"


async def _acts(office: Office, query: str = "") -> list[str]:
    page = (await office.call("GET", f"/audit?{query}", "owner")).json()
    return [each["act"] for each in page["items"]]


async def test_acts_are_told_apart_by_what_who_and_when(office: Office) -> None:
    await office.bring_in(("returns.md", _FILE.encode()))
    soon = quote((datetime.now(UTC) + timedelta(minutes=1)).isoformat())

    whole = await _acts(office)

    assert whole == ["VERSION_STAGED", "IMPORT_STARTED", "IMPORT_OPENED"]
    assert await _acts(office, "act=IMPORT_OPENED") == ["IMPORT_OPENED"]
    assert await _acts(office, "subject=version:1") == ["VERSION_STAGED"]
    assert await _acts(office, "actor=staff-1") == whole
    assert await _acts(office, "actor=somebody") == []
    assert await _acts(office, f"since={soon}") == []
    assert await _acts(office, f"until={soon}&limit=1") == ["VERSION_STAGED"]


@pytest.mark.parametrize("query", ["act=NOTHING", "since=2026-07-01T00:00:00", "until=soon", "actor=%00"])
async def test_a_condition_that_makes_no_sense_is_refused(office: Office, query: str) -> None:
    assert (await office.call("GET", f"/audit?{query}", "owner")).status_code == 400


async def test_notices_are_listed_by_kind_and_one_that_is_not_there_is_not_sent(office: Office) -> None:
    listed = (await office.call("GET", "/notices?kind=OVERDUE", "support")).json()
    nobody = (await office.call("POST", "/notices/ntc_nonsense/resend", "owner")).status_code
    refused = (await office.call("POST", "/notices/ntc_nonsense/resend", "support")).status_code

    assert (listed, nobody, refused) == ({"items": [], "nextCursor": None}, 404, 403)
