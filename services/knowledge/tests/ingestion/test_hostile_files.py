"""A file made to do harm is refused with a reason, whatever its format; nothing of it is run, opened or fetched."""

import io
import zipfile

import docx
import pytest
from openpyxl import Workbook

from knowledge.ingestion.formats.reading import read_content
from knowledge.ingestion.problems import Problem

_ENTITY = '<!DOCTYPE x [<!ENTITY secret SYSTEM "file:///etc/hostname">]>'
_BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'


def _docx() -> bytes:
    held = io.BytesIO()
    document = docx.Document()
    document.add_paragraph("七天内可以退货。")
    document.save(held)
    return held.getvalue()


def _xlsx() -> bytes:
    held = io.BytesIO()
    workbook = Workbook()
    workbook.worksheets[0].append(["等级", "金卡"])
    workbook.save(held)
    return held.getvalue()


def _with_part(package: bytes, name: str, content: bytes) -> bytes:
    held = io.BytesIO(package)
    with zipfile.ZipFile(held, "a") as opened:
        opened.writestr(name, content)
    return held.getvalue()


def _with_document_type(package: bytes, name: str, document_type: str) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as old, zipfile.ZipFile(held, "w") as new:
        for part in old.namelist():
            content = old.read(part)
            if part == name:
                declared, mark, rest = content.partition(b"?>")
                head = declared + mark if mark else b""
                content = head + document_type.encode() + (rest if mark else content)
            new.writestr(part, content)
    return held.getvalue()


@pytest.mark.parametrize(
    ("path", "content", "code"),
    [
        ("a.docx", _with_part(_docx(), "word/vbaProject.bin", b"macro"), "MACROS"),
        ("a.xlsx", _with_part(_xlsx(), "xl/vbaProject.bin", b"macro"), "MACROS"),
        ("a.docm", _docx(), "MACROS"),
        ("a.XLSM", _xlsx(), "MACROS"),
        ("a.docx", _with_document_type(_docx(), "word/document.xml", _ENTITY), "DAMAGED"),
        ("a.docx", _with_document_type(_docx(), "word/styles.xml", _BOMB), "DAMAGED"),
        ("a.xlsx", _with_document_type(_xlsx(), "xl/worksheets/sheet1.xml", _ENTITY), "DAMAGED"),
        ("a.xlsx", _with_document_type(_xlsx(), "xl/styles.xml", _ENTITY), "DAMAGED"),
        ("a.xlsx", _with_document_type(_xlsx(), "xl/workbook.xml", _BOMB), "DAMAGED"),
        ("a.docx", _with_part(_docx(), "word/media/a.bin", b"\0" * 33 * 1024 * 1024), "TOO_LARGE"),
        ("a.txt", b"x" * (10 * 1024 * 1024 + 1), "TOO_LARGE"),
        ("a.md", b"x" * 3_000_001, "TOO_LARGE"),
        ("a.exe", b"MZ", "UNKNOWN_FORMAT"),
    ],
)
def test_a_hostile_file_is_refused_with_a_reason(path: str, content: bytes, code: str) -> None:
    read = read_content(path, content)

    assert isinstance(read, Problem)
    assert (read.path, read.field, read.code) == (path, "content", code)
    assert read.sentence.endswith(".")


def test_the_same_files_without_harm_are_read() -> None:
    assert not isinstance(read_content("a.docx", _docx()), Problem)
    assert not isinstance(read_content("a.xlsx", _xlsx()), Problem)


def test_an_entity_of_a_page_is_never_fetched() -> None:
    page = f"{_ENTITY}<html><body><p>退货&secret;规定</p></body></html>"

    read = read_content("a.html", page.encode())

    assert not isinstance(read, Problem)
    assert "退货" in str(read)
    assert "secret" in str(read)


@pytest.mark.parametrize(
    ("path", "content", "held"),
    [
        ("a.txt", b"%PDF-1.7\n%\xe2\xe3", "a PDF"),
        ("a.pdf", b"PK\x03\x04\x14\x00", "an Office document or an archive"),
        ("a.docx", b"<html><body>Seven days.</body></html>", "a web page"),
        ("a.csv", b"\xef\xbb\xbf<?xml version='1.0'?>\n<!DOCTYPE html>\n<p>Seven days.", "a web page"),
        ("a.xlsx", b"\x1f\x8b\x08\x00", "a packed file"),
        ("a.md", b"\x89PNG\r\n\x1a\n", "a picture"),
    ],
)
def test_a_file_with_the_ending_of_another_format_is_told_what_it_is(path: str, content: bytes, held: str) -> None:
    problem = read_content(path, content)

    assert isinstance(problem, Problem)
    assert (problem.code, held in problem.sentence) == ("UNKNOWN_FORMAT", True)
