"""JSON keeps its keys above what they hold."""

import pytest

from knowledge.ingestion.formats.faults import UnreadableFileError
from knowledge.ingestion.formats.json import read_json
from knowledge.ingestion.formats.reading import read_content
from knowledge.ingestion.importing import SourceFile
from knowledge.ingestion.problems import Problem
from knowledge.ingestion.splitting import split_passages
from tests.support.knowledge import draft_of


def test_records_lists_and_values_keep_their_structure() -> None:
    text = (
        '{"shop": "North", "open": true, "closed": null, "returns": {"days": 7, "goods": ["shoes", "bags"]},'
        ' "faq": [{"answer": "Nothing.", "question": "What does it cost?"}, {"fee": 1.5}]}'
    )

    assert read_json(text.encode()) == (
        "shop: North\n\nopen: true\n\n# returns\n\ndays: 7\n\ngoods:\n\n- shoes\n- bags\n\n"
        "# faq\n\n## What does it cost?\n\nanswer: Nothing.\n\n## 2\n\nfee: 1.5"
    )


def test_a_file_is_named_after_itself_and_every_passage_slices() -> None:
    content = '{"退货": {"说明": "七天内可以退货。但定制商品除外。"}}'.encode("gb18030")

    draft = draft_of(SourceFile(path="规则.json", content=content, header=None))

    (passage,) = split_passages(draft.source, title=draft.title)
    assert (draft.title, passage.heading_path) == ("规则", ("退货",))
    assert draft.source[passage.start : passage.end] == passage.text == "说明: 七天内可以退货。但定制商品除外。"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b'{"a": 1,}', "DAMAGED"),
        (b'{"a": 1, "a": 2}', "DAMAGED"),
        (b"[" * 60 + b"]" * 60, "DAMAGED"),
        (b"[" * 200_000, "DAMAGED"),
        (b"[null, []]", "EMPTY"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(content: bytes, code: str) -> None:
    problem = read_content("a.json", content)

    assert isinstance(problem, Problem)
    assert (problem.field, problem.code) == ("content", code)


def test_numbers_stay_as_they_were_written() -> None:
    assert read_json(b'{"fee": 19.90, "code": 12345678901234567890123, "share": 1e3}') == (
        "fee: 19.90\n\ncode: 12345678901234567890123\n\nshare: 1e3"
    )


def test_what_json_does_not_know_as_a_number_is_refused() -> None:
    with pytest.raises(UnreadableFileError, match="NaN"):
        read_json(b'{"fee": NaN}')


def test_records_nested_deeper_than_markdown_headings_keep_their_path() -> None:
    source = read_json(b'{"a": {"b": {"c": {"d": {"e": {"f": {"g": {"h": "x"}}}}}}}}')

    (passage,) = split_passages(source, title="T")
    assert (passage.heading_path, passage.text) == (tuple("abcdefg"), "h: x")
