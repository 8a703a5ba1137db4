"""A manifest line says which document a file belongs to and when it was in force."""

import pytest

from knowledge.ingestion.header import Header, read_header
from knowledge.ingestion.manifest import MalformedRowError, header_of, headers_by_path, read_row


def _line(lang: str = "zh", path: str = "law/a.md", more: str = "") -> str:
    return f'{{"doc_id": "a", "version": 2, "title": "A", "lang": "{lang}", "path": "{path}"{more}}}'


@pytest.mark.parametrize(
    ("tag", "language"), [("zh", "zh"), ("zh-Hant", "zh"), ("zh_CN", "zh"), ("ZH", "zh"), ("en-GB", "en")]
)
def test_a_language_tag_is_read_by_its_language(tag: str, language: str) -> None:
    assert header_of(read_row(_line(tag)))["language"] == language


def test_a_text_is_in_force_from_the_later_date_until_the_day_before_the_next() -> None:
    dates = ', "valid_from": "2025-01-01", "effective_date": "2025-03-01", "valid_to": "2026-01-01"'

    header = header_of(read_row(_line(more=dates)))

    assert (header["effective_from"], header["effective_to"], header["label"]) == ("2025-03-01", "2025-12-31", "2")


def test_a_row_may_say_what_front_matter_says() -> None:
    more = ', "header": {"audience": ["vip"], "owner": "olga", "label": "2026-07", "priority": 5}'

    header = header_of(read_row(_line(more=more)))

    assert read_header("a.pdf", header) == Header(
        slug="a", label="2026-07", language="zh", title="A", audience=("vip",), owner="olga", priority=5
    )


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("{", "the line"),
        (_line(more=', "header": {"tags": ["\\u0000"]}'), "header"),
        (_line(more=', "header": ["vip"]'), "header"),
        (_line("fr"), "lang"),
        ('{"doc_id": "a"}', "version"),
        (_line().replace('"doc_id": "a"', '"doc_id": "a\\u0000"'), "doc_id"),
        (_line().replace('"title": "A"', '"title": "\\u0000"'), "title"),
        (_line(more=', "valid_to": "0001-01-01"'), "valid_to"),
    ],
)
def test_a_malformed_line_names_its_field(line: str, field: str) -> None:
    with pytest.raises(MalformedRowError) as malformed:
        read_row(line)

    assert malformed.value.field == field


@pytest.mark.parametrize(
    ("manifest", "row", "file"),
    [
        ("manifest.jsonl", "a.md", "a.md"),
        ("set/manifest.jsonl", "a.md", "set/a.md"),
        ("set/manifest.jsonl", "set/a.md", "set/a.md"),
    ],
)
def test_a_path_begins_in_the_folder_of_the_manifest_or_above(manifest: str, row: str, file: str) -> None:
    headers = headers_by_path([read_row(_line(path=row))], manifest, {file, "other.md"})

    assert list(headers) == [file]
