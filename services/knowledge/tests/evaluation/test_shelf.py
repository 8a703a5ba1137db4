from datetime import date

import pytest

from knowledge.evaluation.golden import Evidence, Golden
from knowledge.evaluation.observed import ObservedCitation
from knowledge.evaluation.shelf import CaseShelf, Days

pytestmark = pytest.mark.unit

_DAY = date(2026, 7, 15)
_QUOTE = "七天内可以退货。"


def _citation(revision: str = "2", quote: str = _QUOTE) -> ObservedCitation:
    return ObservedCitation(
        index=1, title="退货", revision=revision, quote=quote, passage=quote, document="returns"
    )  # fmt: skip


def _shelf(days: Days = (None, None), *stale: Evidence) -> CaseShelf:
    golden = Golden(
        id="g", lang="zh", category="c", question="能退吗？", acceptable_routes=("answer",), stale_evidence=stale
    )  # fmt: skip
    return CaseShelf(golden=golden, as_of=_DAY, days={("returns", "2"): days})


@pytest.mark.parametrize(
    ("doc_id", "version", "is_of"),
    [
        ("returns", 2, True), ("returns", "2", True), ("returns", None, True), ("returns", 1, False),
        ("fees", 2, False),
    ],
)  # fmt: skip
def test_evidence_is_of_its_document_and_revision(doc_id: str, version: int | str | None, *, is_of: bool) -> None:
    evidence = Evidence(doc_id=doc_id, version=version, quote=_QUOTE)

    assert _shelf().is_of(_citation(), evidence) is is_of


@pytest.mark.parametrize(
    ("days", "is_stale"),
    [
        ((None, None), False),
        ((_DAY, _DAY), False),
        ((date(2026, 7, 16), None), True),
        ((None, date(2026, 7, 14)), True),
    ],
)
def test_a_citation_is_stale_outside_of_its_days(days: Days, *, is_stale: bool) -> None:
    assert _shelf(days).is_stale(_citation()) is is_stale


@pytest.mark.parametrize(
    ("revision", "quote", "is_stale"),
    [("2", _QUOTE, True), ("2", "运费由商家承担。", False), ("3", _QUOTE, False)],
)
def test_a_citation_is_stale_when_the_case_says_so_of_the_quote(revision: str, quote: str, *, is_stale: bool) -> None:
    stale = Evidence(doc_id="returns", version=2, quote=_QUOTE)

    assert _shelf((None, None), stale).is_stale(_citation(revision, quote)) is is_stale
