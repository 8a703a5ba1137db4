"""What a tenant has published is read as golden evidence names it."""

from datetime import date

import httpx
import pytest

from knowledge.evaluation.golden import Evidence
from knowledge.evaluation.observed import ObservedCitation
from youju.published import published_library

pytestmark = pytest.mark.unit

_RETURNS = {
    "slug": "returns", "title": "Returns", "label": "2", "owner": None, "reviewDate": None, "withdrawnAt": None
}  # fmt: skip


def _revision(label: str, begins: str | None, ends: str | None) -> dict[str, object]:
    days = {"effectiveFrom": begins, "effectiveTo": ends}
    return {"revisionId": f"rev_{label}", "label": label, "versions": [1], "createdAt": "2026-07-01T00:00:00Z", **days}


_REVISIONS = [
    _revision("1", "2026-01-01", "2026-06-30"),
    _revision("2", "2026-07-01", "2026-12-31"),
    _revision("3", "2027-01-01", None),
]


def _answer(request: httpx.Request) -> httpx.Response:
    if request.url.path == "/v1/staff/documents":
        return httpx.Response(200, json={"items": [_RETURNS], "nextCursor": None})
    return httpx.Response(200, json={"revisions": _REVISIONS})


def test_revisions_are_known_by_label_and_only_the_one_in_force_is_not_stale() -> None:
    with httpx.Client(transport=httpx.MockTransport(_answer), base_url="http://knowledge") as client:
        library = published_library(client, today=date(2026, 12, 31))
    cited = [
        ObservedCitation(index=1, title="Returns", revision=label, quote="x", passage="x") for label in ("1", "2", "3")
    ]
    evidence = Evidence.model_validate({"doc_id": "returns", "version": "2", "quote": "x"})

    assert [library.is_of(each, evidence) for each in cited] == [False, True, False]
    assert [library.is_stale(each) for each in cited] == [True, False, True]
