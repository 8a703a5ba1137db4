"""A file is either a revision or everything that is wrong with it; revisions of one document never overlap."""

from dataclasses import replace
from datetime import date, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.ingestion.importing import FaultyFile, SourceFile, origin_of, read_file
from knowledge.ingestion.intervals import Declared, close_intervals
from knowledge.ingestion.linking import Entry, Linked, link
from tests.support.knowledge import draft_of

_HEAD = "slug: returns\nlabel: '1'\nlanguage: zh\n"


def _source(text: str | bytes, path: str = "1.md") -> SourceFile:
    return SourceFile(path=path, content=text if isinstance(text, bytes) else text.encode(), header=None)


def _file(head: str = _HEAD, body: str = "# 退货\n\n七天。\n") -> str:
    return f"---\n{head}---\n{body}"


def test_a_file_becomes_a_revision_with_its_record() -> None:
    head = (
        _HEAD
        + "audience: [vip, gold]\npriority: 10\npublic: true\nsource_url: https://shop.example/r\ndecision: human\n"
    )

    draft = draft_of(_source(_file(head)))

    assert (draft.slug, draft.title, draft.audience, draft.priority) == ("returns", "退货", ("gold", "vip"), 10)
    assert (draft.decision, draft.source_url, draft.source) == ("human", "https://shop.example/r", "# 退货\n\n七天。\n")


def test_personal_data_in_title_and_scope_is_masked_as_in_the_text() -> None:
    draft = draft_of(_source(_file(_HEAD + "title: 退货找 a@b.example\napplies_to: 只限手机15800002605的客户\n")))

    assert (draft.title, draft.applies_to) == ("退货找 [email]", "只限手机[phone]的客户")


def test_a_source_address_of_a_document_that_is_not_public_is_dropped() -> None:
    draft = draft_of(_source(_file(_HEAD + "source_url: https://shop.example/r\n")))

    assert draft.source_url is None


def test_comments_and_foreign_line_ends_are_no_part_of_the_normal_form() -> None:
    draft = draft_of(_source(_file(body="# 退货\r\n\r\n七天。<!-- 内部 -->\r\n")))

    assert draft.source == "# 退货\n\n七天。\n"


def test_a_name_is_the_same_however_its_characters_are_composed() -> None:
    head = "slug: cafe\u0301\nlabel: 'e\u0301'\nlanguage: en\n"

    draft = draft_of(_source(_file(head)))

    assert (draft.slug, draft.label) == ("caf\u00e9", "\u00e9")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("audience: []\n", "audience is not valid: name one at least."),
        ("audience: vip\n", "audience is not valid: write a list, such as [one, another]."),
        (
            "audience: [v i p]\n",
            "audience.0 is not valid: a segment has up to 64 characters and neither blanks nor commas.",
        ),
        (
            "source_url: https:///\n",
            "source_url is not valid: only an address that begins with https:// and the name of a host is taken.",
        ),
        (
            "source_url: https://shop.example@evil.example/\n",
            "source_url is not valid: only an address that begins with https:// and the name of a host is taken.",
        ),
    ],
)
def test_a_faulty_field_is_told_in_words_of_its_author(line: str, sentence: str) -> None:
    read = read_file(_source(_file(_HEAD + line)))

    assert isinstance(read, FaultyFile)
    assert read.problems[0].sentence == sentence


def test_characters_that_nobody_sees_are_no_part_of_the_normal_form() -> None:
    draft = draft_of(
        _source(_file(_HEAD + "title: 退\u200b货\n", "# A\n\n退\u200b货七\u00ad天，\u202e运费\u202c自付👩\u200d👧。\n"))
    )

    assert (draft.title, draft.source) == ("退货", "# A\n\n退货七天，运费自付👩\u200d👧。\n")


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
        (_file(_HEAD + 'title: "a\\ud800b"\n'), "front matter", "FRONT_MATTER"),
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
        (_file(_HEAD + "source_url: http://shop.example/r\n"), "source_url", "INVALID"),
        (_file(_HEAD + "audience: []\n"), "audience", "INVALID"),
        (_file(_HEAD + "effective_from: 2026-03-02\neffective_to: 2026-03-01\n"), "effective_to", "IMPOSSIBLE_DATES"),
        (_file(body="没有标题\n"), "title", "MISSING"),
    ],
)
def test_a_faulty_file_is_named_with_its_field(text: str | bytes, field: str, code: str) -> None:
    read = read_file(_source(text))

    assert isinstance(read, FaultyFile)
    assert [(each.path, each.field, each.code) for each in read.problems] == [("1.md", field, code)]


def test_all_problems_of_a_file_are_told_at_once() -> None:
    read = read_file(_source(_file("slug: a b\nlanguage: fr\n")))

    assert isinstance(read, FaultyFile)
    assert [each.field for each in read.problems] == ["slug", "label", "language"]


def test_an_address_that_is_not_https_is_refused_with_the_reason() -> None:
    read = read_file(_source(_file(_HEAD + "public: true\nsource_url: http://shop.example/r\n")))

    assert isinstance(read, FaultyFile)
    assert "begins with https://" in read.problems[0].sentence


@pytest.mark.parametrize(
    ("text", "slug"),
    [(_file(body="\n"), "returns"), (_file(_HEAD + "priority: high\n"), "returns"), ("只有正文", None), (b"", None)],
)
def test_a_faulty_file_names_its_document_where_it_can(text: str | bytes, slug: str | None) -> None:
    read = read_file(_source(text))

    assert isinstance(read, FaultyFile)
    assert read.slug == slug


def test_a_header_takes_the_place_of_foreign_front_matter() -> None:
    file = SourceFile(
        path="a.md",
        content=b"---\nms.topic: article\nms.topic: twice\n---\nBody.\n",
        header={"slug": "a", "label": "1", "language": "en", "title": "A"},
    )

    assert draft_of(file).source == "Body.\n"


def test_a_fingerprint_follows_text_record_and_pipeline_but_not_the_path() -> None:
    one = draft_of(_source(_file()))
    moved = draft_of(_source(_file(), "b.md"))
    dated = draft_of(_source(_file(_HEAD + "effective_from: 2026-01-01\n")))

    assert one.fingerprint("p") == moved.fingerprint("p")
    assert len({one.fingerprint("p"), one.fingerprint("q"), dated.fingerprint("p")}) == 3


def test_an_origin_follows_everything_a_revision_is_read_from() -> None:
    file = _source(_file())
    others = (_source(_file(), "b.md"), _source(_file(body="# 退货\n\n八天。\n")), replace(file, header={"slug": "a"}))

    named = {origin_of(each, allowed=()) for each in (file, *others)} | {origin_of(file, allowed=("hash",))}

    assert len(named) == 5
    assert origin_of(file, allowed=()) == origin_of(_source(_file()), allowed=())


def test_nothing_is_in_force_before_the_first_day_of_the_calendar() -> None:
    linked = _link(_entry("0.md"), _entry("1.md", label="2", effective_from=date.min))

    assert [(each.path, each.code) for each in linked.problems] == [("1.md", "OVERLAPPING_DATES")]


def test_a_fault_between_files_leaves_all_new_revisions_of_the_document_out() -> None:
    linked = _link(_entry("a.md"), _entry("b.md"), _entry("c.md", slug="fees"))

    assert [(each.path, each.code) for each in linked.problems] == [("b.md", "DUPLICATE")]
    assert [(each.path, each.code) for each in linked.with_others] == [("a.md", "LEFT_OUT")]
    assert list(linked.ends) == [_id("c.md")]


def test_an_unknown_label_is_told_with_its_file() -> None:
    linked = _link(_entry("a.md", superseded_by="9"))

    assert [(each.path, each.field, each.code) for each in linked.problems] == [
        ("a.md", "superseded_by", "UNKNOWN_LABEL")
    ]


def test_a_document_with_an_unreadable_file_brings_nothing_new_and_keeps_what_it_had() -> None:
    linked = _link(_entry("old.md", kept=True), _entry("new.md", label="2", effective_from=_day(9)), faulty="returns")

    assert list(linked.ends) == [_id("old.md")]
    assert [each.path for each in linked.with_others] == ["new.md"]


def test_a_kept_revision_gives_way_to_a_new_one_with_its_label() -> None:
    linked = _link(_entry("old.md", kept=True), _entry("new.md"))

    assert (list(linked.ends), linked.problems, linked.with_others) == ([_id("new.md")], (), ())


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


def _id(path: str) -> UUID:
    return UUID(bytes=path.encode().ljust(16, b"\0"))


def _entry(
    path: str,
    *,
    slug: str = "returns",
    label: str = "1",
    effective_from: date | None = None,
    superseded_by: str | None = None,
    kept: bool = False,
) -> Entry:
    return Entry(
        draft_id=_id(path),
        path=path,
        slug=slug,
        label=label,
        effective_from=effective_from,
        declared_to=None,
        superseded_by=superseded_by,
        kept=kept,
    )


def _link(*entries: Entry, faulty: str = "") -> Linked:
    return link(entries, faulty=frozenset({faulty} - {""}))
