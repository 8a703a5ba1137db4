"""An import is either every revision or every problem, each with its file and field."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.ingestion.importing import ReadImport, SourceFile, read_import
from knowledge.ingestion.intervals import Declared, close_intervals

_HEAD = "slug: returns\nlabel: '1'\nlanguage: zh\n"


def _read(*texts: str | bytes) -> ReadImport:
    files = [
        SourceFile(path=f"{place}.md", content=text if isinstance(text, bytes) else text.encode(), header=None)
        for place, text in enumerate(texts)
    ]
    return read_import(files)


def _file(head: str = _HEAD, body: str = "# 退货\n\n七天。\n") -> str:
    return f"---\n{head}---\n{body}"


def test_a_file_becomes_a_revision_with_its_record() -> None:
    head = (
        _HEAD
        + "audience: [vip, gold]\npriority: 10\npublic: true\nsource_url: https://shop.example/r\ndecision: human\n"
    )

    (draft,) = _read(_file(head)).revisions

    assert (draft.slug, draft.title, draft.audience, draft.priority) == ("returns", "退货", ("gold", "vip"), 10)
    assert (draft.decision, draft.source_url, draft.source) == ("human", "https://shop.example/r", "# 退货\n\n七天。\n")


def test_a_source_address_of_a_document_that_is_not_public_is_dropped() -> None:
    (draft,) = _read(_file(_HEAD + "source_url: https://shop.example/r\n")).revisions

    assert draft.source_url is None


def test_comments_and_foreign_line_ends_are_no_part_of_the_normal_form() -> None:
    (draft,) = _read(_file(body="# 退货\r\n\r\n七天。<!-- 内部 -->\r\n")).revisions

    assert draft.source == "# 退货\n\n七天。\n"


@pytest.mark.parametrize(
    ("text", "field", "code"),
    [
        (b"", "content", "EMPTY"),
        (_file(body="\n\n"), "content", "EMPTY"),
        (b"\xff\xfe\x00", "content", "UNKNOWN_ENCODING"),
        ("Zurückgabe é".encode("latin-1"), "content", "UNKNOWN_ENCODING"),
        (b"x" * (10 * 1024 * 1024 + 1), "content", "TOO_LARGE"),
        (_file(body="a\x07b"), "content", "CONTROL_CHARACTER"),
        (_file(_HEAD + 'title: "a\\0b"\n'), "front matter", "CONTROL_CHARACTER"),
        (_file(_HEAD + 'title: "a\\ud800b"\n'), "front matter", "CONTROL_CHARACTER"),
        (_file(_HEAD + "? [a, b]\n: c\n"), "front matter", "FRONT_MATTER"),
        (_file(_HEAD + "tags: &t [*t]\n"), "front matter", "FRONT_MATTER"),
        (_file(_HEAD + f"tags: {'[' * 3000}\n"), "front matter", "FRONT_MATTER"),
        (_file(_HEAD + f"area: {'x' * 50_000}\n"), "front matter", "TOO_LARGE"),
        ("只有正文", "front matter", "FRONT_MATTER"),
        (_file("slug: [a\n"), "front matter", "FRONT_MATTER"),
        (_file("- a\n- b\n"), "front matter", "FRONT_MATTER"),
        (_file(_HEAD + "label: '2'\n"), "label", "FRONT_MATTER"),
        (_file("label: '1'\nlanguage: zh\n"), "slug", "MISSING"),
        (_file(_HEAD + "slgu: x\n"), "slgu", "UNKNOWN_FIELD"),
        (_file(_HEAD + "effective_from: 2026-02-30\n"), "effective_from", "INVALID"),
        (_file(_HEAD + "effective_from: 2026-02-02T10:00:00\n"), "effective_from", "INVALID"),
        (_file(_HEAD + "source_url: javascript:alert(1)\n"), "source_url", "INVALID"),
        (_file(_HEAD + "audience: []\n"), "audience", "INVALID"),
        (_file(_HEAD + "effective_from: 2026-03-02\neffective_to: 2026-03-01\n"), "effective_to", "IMPOSSIBLE_DATES"),
        (_file(_HEAD + "superseded_by: '9'\n"), "superseded_by", "UNKNOWN_LABEL"),
        (_file(body="没有标题\n"), "title", "MISSING"),
    ],
)
def test_a_faulty_file_is_named_with_its_field(text: str | bytes, field: str, code: str) -> None:
    read = _read(_file("slug: other\nlabel: '1'\nlanguage: zh\n"), text)

    assert read.revisions == ()
    assert [(each.path, each.field, each.code) for each in read.problems] == [("1.md", field, code)]


def test_all_problems_of_all_files_are_told_at_once() -> None:
    read = _read(_file("slug: a b\nlanguage: fr\n"), b"")

    assert {(each.path, each.field) for each in read.problems} == {
        ("0.md", "slug"), ("0.md", "label"), ("0.md", "language"), ("1.md", "content"),
    }  # fmt: skip


def test_nothing_is_in_force_before_the_first_day_of_the_calendar() -> None:
    later = _file("slug: returns\nlabel: '2'\nlanguage: zh\neffective_from: 0001-01-01\n")

    (problem,) = _read(_file(), later).problems

    assert (problem.path, problem.code) == ("1.md", "OVERLAPPING_DATES")


def test_one_label_of_a_document_stands_once() -> None:
    read = _read(_file(), _file())

    assert "DUPLICATE" in {each.code for each in read.problems}


def test_an_import_without_files_is_a_problem() -> None:
    assert [each.code for each in _read().problems] == ["NOTHING_TO_IMPORT"]


def test_a_header_takes_the_place_of_foreign_front_matter() -> None:
    file = SourceFile(
        path="a.md",
        content=b"---\nms.topic: article\nms.topic: twice\n---\nBody.\n",
        header={"slug": "a", "label": "1", "language": "en", "title": "A"},
    )

    (draft,) = read_import([file]).revisions

    assert draft.source == "Body.\n"


def test_a_fingerprint_follows_text_record_and_pipeline_but_not_the_path() -> None:
    (one,) = _read(_file()).revisions
    (moved,) = read_import([SourceFile(path="b.md", content=_file().encode(), header=None)]).revisions
    (dated,) = _read(_file(_HEAD + "effective_from: 2026-01-01\n")).revisions

    assert one.fingerprint("p") == moved.fingerprint("p")
    assert len({one.fingerprint("p"), one.fingerprint("q"), dated.fingerprint("p")}) == 3


def test_an_open_end_is_closed_the_day_before_the_next_revision() -> None:
    ends = close_intervals([_declared("1", None, None), _declared("2", 10, None)])

    assert ends == {"1": _day(9), "2": None}


@pytest.mark.parametrize(
    "declared",
    [[("1", 0, 10), ("2", 10, 20)], [("1", None, None), ("2", None, 5)], [("1", 3, None), ("2", 3, None)]],
)
def test_overlapping_revisions_are_a_problem(declared: list[tuple[str, int | None, int | None]]) -> None:
    problems = close_intervals([_declared(*each) for each in declared])

    assert isinstance(problems, tuple)
    assert {each.code for each in problems} == {"OVERLAPPING_DATES"}


_RANGES = st.lists(st.tuples(st.integers(0, 30), st.none() | st.integers(0, 10)), min_size=1, max_size=6)


@given(_RANGES)
def test_closed_revisions_never_share_a_day(ranges: list[tuple[int, int | None]]) -> None:
    declared = [
        _declared(str(place), start, None if length is None else start + length)
        for place, (start, length) in enumerate(ranges)
    ]

    ends = close_intervals(declared)

    days = [
        day
        for each in declared
        if isinstance(ends, dict) and each.effective_from is not None
        for day in range(each.effective_from.toordinal(), (ends[each.label] or date(2026, 6, 1)).toordinal() + 1)
    ]
    assert len(days) == len(set(days))


def _day(number: int) -> date:
    return date(2026, 1, 1) + timedelta(days=number)


def _declared(label: str, start: int | None, end: int | None) -> Declared:
    return Declared(
        path=f"{label}.md",
        label=label,
        effective_from=None if start is None else _day(start),
        effective_to=None if end is None else _day(end),
    )
