from datetime import UTC, date, datetime
from html.parser import HTMLParser
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.evaluation.golden import Golden
from knowledge.evaluation.intervals import Rate
from knowledge.evaluation.measuring import CaseResult, Cited
from knowledge.evaluation.metrics import METRICS
from knowledge.evaluation.page.markup import element, foreign
from knowledge.evaluation.page.rows import mark_of
from knowledge.evaluation.page.writing import write_page
from knowledge.evaluation.run import Run, RunState
from knowledge.evaluation.summing import compared, sum_up

pytestmark = pytest.mark.unit

_MOMENT = datetime(2026, 7, 15, 9, 30, tzinfo=UTC)
_HOSTILE = "</title></style><script>alert(1)</script><img src=x onerror=alert(2)>\u202e\"' onload=alert(3) &lt;b&gt;"
_KNOWN = {
    "html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "div", "span", "strong", "b", "bdi", "ul", "li",
    "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "blockquote",
    "svg", "g", "text", "line", "circle", "polygon", "polyline", "rect",
}  # fmt: skip


class _Reader(HTMLParser):
    """Collects what a browser would make of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: dict[str, set[str]] = {}
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        for name, value in attrs:
            self.attributes.setdefault(name, set()).add(value or "")

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def _read(page: str) -> _Reader:
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return reader


def _golden(case_id: str, text: str = "能退吗？") -> Golden:
    return Golden(id=case_id, lang="zh", category="returns", question=text, acceptable_routes=("answer",))


def _result(case_id: str, *, right: bool = True, text: str = "可以。") -> CaseResult:
    return CaseResult(
        case_id=case_id, case_set="golden", category="returns", language="zh", routes=("answer",), answer=text,
        citations=(Cited(document=text, revision=text, quote=text),), right=right, why=() if right else (text,),
        tallies={metric.name: Rate(int(right), 1) for metric in METRICS}, seconds=0.1, answered=True,
        must_be_answered=True, strength=1.0 + len(case_id) / 10, would_be_wrong=not right,
    )  # fmt: skip


def _run(candidate: list[CaseResult], published: list[CaseResult], *, state: RunState = "DONE") -> Run:
    summary = sum_up(candidate, compared(candidate, published)).model_dump(mode="json") if state == "DONE" else None
    return Run(
        id=UUID(int=1), version=4, published=3 if published else None, case_sets=("golden",), state=state,
        fingerprint="abc", settings={"prompt": _HOSTILE}, threshold=1, today=date(2026, 7, 15), total=len(candidate),
        done=len(candidate), reason=None, verdict="MISSED" if state == "DONE" else None,
        missed=({"metric": "x", "sentence": _HOSTILE},), summary=summary, started_by=_HOSTILE, started_at=_MOMENT,
        finished_at=_MOMENT,
    )  # fmt: skip


def _page(candidate: list[CaseResult], published: list[CaseResult], text: str = "能退吗？") -> str:
    cases = {each.case_id: _golden(each.case_id, text) for each in candidate}
    return write_page(_run(candidate, published), cases, candidate=candidate, published=published)


def _is_inert(page: str) -> bool:
    found = _read(page)
    runs = [name for name in found.attributes if name.startswith("on") or name in {"src", "href", "style", "action"}]
    return found.names <= _KNOWN and not runs


def test_a_hostile_text_stays_inert_wherever_it_stands() -> None:
    candidate = [_result("a", right=False, text=_HOSTILE), _result("bb", text=_HOSTILE)]
    page = _page(candidate, [_result("a", text=_HOSTILE), _result("bb", right=False)], text=_HOSTILE)

    assert _is_inert(page)
    assert _HOSTILE in "".join(_read(page).texts)


@given(st.text(max_size=60))
def test_any_text_comes_out_as_it_went_in(text: str) -> None:
    shown = _read(f"<p>{foreign(text)}</p>")

    assert "".join(shown.texts) == text.replace("\r\n", "\n") or "\r" in text or "\0" in text
    assert shown.names == {"p", "bdi"}


@given(st.text(max_size=40))
def test_any_value_of_an_attribute_stays_in_it(text: str) -> None:
    assert set(_read(element("p", title=text)).attributes) == {"title"}


def test_the_page_loads_nothing() -> None:
    page = _page([_result("a")], [])

    assert "default-src 'none'; style-src 'unsafe-inline'" in "".join(_read(page).attributes["content"])
    for foreign_place in ("http:", "https:", "url(", "@import", "@font-face", "<link", "<script"):
        assert foreign_place not in page.replace("Content-Security-Policy", "")


def test_both_colour_schemes_and_shapes_beside_colours() -> None:
    page = _page([_result("a", right=False)], [_result("a")])

    assert "prefers-color-scheme: dark" in page
    assert "color-scheme: light dark" in page
    assert "<circle" in page
    assert "<polygon" in page
    assert "lost 1" in page


@pytest.mark.parametrize(
    ("result", "before", "mark"),
    [
        (_result("a"), None, None),
        (_result("a", right=False), None, "wrong"),
        (_result("a", right=False), _result("a", right=False), "wrong"),
        (_result("a", right=False), _result("a"), "lost"),
        (_result("a"), _result("a", right=False), "won"),
        (_result("a"), _result("a"), None),
        (_result("a", text="可以的。"), _result("a"), "changed"),
    ],
)
def test_a_row_is_shown_for_a_reason(result: CaseResult, before: CaseResult | None, mark: str | None) -> None:
    assert mark_of(result, before) == mark


def test_a_run_that_is_not_done_shows_how_far_it_is() -> None:
    results = [_result("a", right=False)]
    page = write_page(_run(results, [], state="RUNNING"), {"a": _golden("a")}, candidate=results, published=[])

    assert "running: 1 of 1 questions asked" in page
    assert "<svg" not in page
