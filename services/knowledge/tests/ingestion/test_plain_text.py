"""Plain text in the three encodings becomes the same text, and its structure is found."""

import pytest

from knowledge.ingestion.formats.encodings import decode_text
from knowledge.ingestion.formats.faults import UnreadableFileError
from knowledge.ingestion.formats.plain_text import read_plain_text
from knowledge.ingestion.importing import FaultyFile, SourceFile, read_file
from knowledge.ingestion.splitting import split_passages
from tests.support.knowledge import draft_of

_POLICY = "退货规定\r\n\r\n七天内可以无理由退货，运费由 Youju 承担 12 元。\r\n"


def _file(path: str, content: bytes) -> SourceFile:
    return SourceFile(path=path, content=content, header=None)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gb18030"])
def test_a_text_reads_the_same_in_every_encoding(encoding: str) -> None:
    assert decode_text(_POLICY.encode(encoding)) == _POLICY.replace("\r\n", "\n")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_chinese_in_utf_16_is_told_from_its_characters_where_few_bytes_are_zero(encoding: str) -> None:
    text = "一件商品，自签收之日起七日内可以退货，但是定制商品除外。" * 9 + "\n"

    assert decode_text(text.encode(encoding)) == text


@pytest.mark.parametrize(
    "content",
    [
        "Returns within seven days.".encode("utf-32"),
        "Rückgabe für Österreich: größere Geräte, ältere Käufe".encode("cp1252"),
        "退貨須知：貨品應於七日內寄回，並附上發票與保固書。".encode("big5"),
        b"\xff\xfe\x00",
        b"\x80\x81\x82\xff\xff",
    ],
)
def test_bytes_of_another_encoding_are_not_guessed_at(content: bytes) -> None:
    with pytest.raises(UnreadableFileError, match="neither UTF-8 nor UTF-16 nor GB18030: line 1"):
        decode_text(content)


def test_a_plain_text_without_a_header_is_named_after_its_file() -> None:
    draft = draft_of(_file("shop/return policy.txt", "七天内可以退货。".encode("gb18030")))

    assert (draft.slug, draft.label, draft.language, draft.title) == (
        "shop/return-policy", "1", "zh", "return policy",
    )  # fmt: skip
    assert draft.source == "七天内可以退货。"


def test_wrapped_lines_are_joined_and_chinese_ones_without_a_space() -> None:
    text = (
        "    在遵守并包含本文档版权声明的前提下，允许制作和发布本文档的完整拷\n    贝。\n\n"
        "  This sentence was wrapped by an editor at a width of about sixty\n  columns, more or less.\n"
    )

    assert read_plain_text(text.encode()).split("\n\n") == [
        "在遵守并包含本文档版权声明的前提下，允许制作和发布本文档的完整拷贝。",
        "This sentence was wrapped by an editor at a width of about sixty columns, more or less.\n",
    ]


def test_short_lines_and_list_items_stay_apart() -> None:
    text = "You may return:\n• shoes\n• bags\nName: Ann\nShop: North\n-----\nEnd"

    source = read_plain_text(text.encode())

    assert source == "You may return:\n\n- shoes\n- bags\n\nName: Ann\n\nShop: North\n\nEnd"


def test_indented_text_is_no_code_and_every_passage_slices() -> None:
    source = read_plain_text(b"    First sentence. Second sentence.\n\n    [1]: is kept\n")

    passages = split_passages(source, title="T")

    assert [source[each.start : each.end] for each in passages] == [each.text for each in passages]
    assert passages[0].text == "First sentence. Second sentence.\n\n\\[1]: is kept"


@pytest.mark.timeout(20)
def test_comments_that_are_never_closed_are_text_and_take_no_time() -> None:
    source = read_plain_text(b"a<!-- hidden -->b" + b"<!--" * 100_000)

    assert source.startswith("ab<!--<!--")


@pytest.mark.parametrize(
    ("path", "content", "code"),
    [
        ("a.exe", b"MZ", "UNKNOWN_FORMAT"),
        ("a", b"text", "UNKNOWN_FORMAT"),
        ("a.txt", b"  \n", "EMPTY"),
        ("a.txt", "<!-- 内部 -->".encode(), "EMPTY"),
    ],
)
def test_a_file_that_gives_no_text_says_why(path: str, content: bytes, code: str) -> None:
    read = read_file(_file(path, content))

    assert isinstance(read, FaultyFile)
    assert [(each.path, each.field, each.code) for each in read.problems] == [(path, "content", code)]
