"""Turns the bytes of a file into text with the marks of Markdown, by the ending of its name."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final

from knowledge.ingestion.formats.csv import read_csv
from knowledge.ingestion.formats.docx import read_docx
from knowledge.ingestion.formats.encodings import decode_text
from knowledge.ingestion.formats.faults import UnreadableFileError
from knowledge.ingestion.formats.html import read_html
from knowledge.ingestion.formats.json import read_json
from knowledge.ingestion.formats.paged_text import PagedText
from knowledge.ingestion.formats.pdf import read_pdf
from knowledge.ingestion.formats.plain_text import read_plain_text
from knowledge.ingestion.normal_form import find_control
from knowledge.ingestion.problems import Problem, ProblemCode

LARGEST_FILE_BYTES: Final = 10 * 1024 * 1024
# A longer text is a library, and a small file that unfolds to it is an attack. Cutting a million characters of list items
# takes ten seconds, and one step has to do it far within its lease.
_LONGEST_TEXT: Final = 3_000_000

_FIELD: Final = "content"
WITH_MACROS: Final = frozenset((".docm", ".dotm", ".xlsm", ".xltm", ".xlsb", ".pptm"))


@dataclass(frozen=True, slots=True)
class Format:
    """How a kind of file is read. One that `has_title` is named by its first heading, another one by its file.

    `begins` are the known beginnings that its files may have.
    """

    name: str
    read: Callable[[bytes], str | PagedText]
    has_title: bool = True
    begins: frozenset[str] = frozenset()


def _read_workbook(content: bytes) -> str:
    """Read a workbook. What reads it takes a quarter of a second to load, and most processes never read one."""
    from knowledge.ingestion.formats.xlsx import read_xlsx  # noqa: PLC0415

    return read_xlsx(content)


_PDF: Final = "a PDF"
_PACKAGE: Final = "an Office document or an archive"
_OLD_OFFICE: Final = "an Office document of before 2007 or one with a password"
_WEB_PAGE: Final = "a web page"
# How files begin that no other reader can make sense of.
_BEGINNINGS: Final[Mapping[str, re.Pattern[bytes]]] = MappingProxyType(
    {
        _PDF: re.compile(rb"%PDF-\d"),
        _PACKAGE: re.compile(rb"PK\x03\x04"),
        _OLD_OFFICE: re.compile(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
        "a packed file": re.compile(rb"\x1f\x8b\x08|7z\xbc\xaf|Rar!\x1a|BZh\d1AY|\xfd7zXZ"),
        "a picture": re.compile(rb"\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a"),
        _WEB_PAGE: re.compile(
            rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}>\s*)?<(?:!doctype\s+html|html)\b", re.IGNORECASE
        ),
    }
)
_OFFICE: Final = frozenset((_PACKAGE, _OLD_OFFICE))

_MARKDOWN: Final = Format("Markdown", decode_text)
_HTML: Final = Format("HTML", read_html, begins=frozenset((_WEB_PAGE,)))
FORMATS: Final[Mapping[str, Format]] = MappingProxyType(
    {
        ".md": _MARKDOWN,
        ".markdown": _MARKDOWN,
        ".txt": Format("plain text", read_plain_text),
        ".html": _HTML,
        ".htm": _HTML,
        ".docx": Format("a Word document", read_docx, begins=_OFFICE),
        ".pdf": Format("PDF", read_pdf, begins=frozenset((_PDF,))),
        ".xlsx": Format("an Excel workbook", _read_workbook, has_title=False, begins=_OFFICE),
        ".csv": Format("a table of separated values", read_csv, has_title=False),
        ".json": Format("JSON", read_json, has_title=False),
    }
)


def is_markdown(path: str) -> bool:
    """Tell whether a file is Markdown, which alone may have front matter and comments."""
    return format_of(path) is _MARKDOWN


@lru_cache(maxsize=16)
def format_of(path: str) -> Format | None:
    """Give the format of a file by the ending of its name, None when there is none."""
    return FORMATS.get(PurePosixPath(path).suffix.lower())


def read_paged(path: str, content: bytes) -> PagedText | Problem:
    """Give the text of a file and where its pages begin, or the problem that keeps it from being read."""
    try:
        return _checked(_read(path, content))
    except UnreadableFileError as unreadable:
        return Problem(path, _FIELD, unreadable.code, unreadable.sentence)


def read_content(path: str, content: bytes) -> str | Problem:
    """Give the text of a file alone, or the problem that keeps it from being read."""
    paged = read_paged(path, content)
    return paged.text if isinstance(paged, PagedText) else paged


def _read(path: str, content: bytes) -> PagedText:
    found = format_of(path)
    if found is None and PurePosixPath(path).suffix.lower() in WITH_MACROS:
        raise UnreadableFileError(
            ProblemCode.MACROS, "The file is an Office document with macros; save it without them."
        )
    if found is None:
        sentence = f"The name of the file ends in none of {', '.join(FORMATS)}."
        raise UnreadableFileError(ProblemCode.UNKNOWN_FORMAT, sentence)
    if len(content) > LARGEST_FILE_BYTES:
        limit = LARGEST_FILE_BYTES // 1024 // 1024
        sentence = f"The file has {len(content) / 1024 / 1024:.1f} MB; the limit is {limit} MB."
        raise UnreadableFileError(ProblemCode.TOO_LARGE, sentence)
    if not content.strip():
        raise UnreadableFileError(ProblemCode.EMPTY, "The file is empty.")
    _check_name(found, content)
    try:
        read = found.read(content)
    except UnreadableFileError:
        raise
    except Exception as broken:  # a damaged or hostile file makes a parser fail in any way it likes
        sentence = f"The file is damaged: it cannot be read as {found.name}."
        raise UnreadableFileError(ProblemCode.DAMAGED, sentence) from broken
    return read if isinstance(read, PagedText) else PagedText(read)


def _check_name(found: Format, content: bytes) -> None:
    """Refuse what is another format by its content: read as the one it is named, it would be damage or bare marks."""
    held = next((held for held, begins in _BEGINNINGS.items() if begins.match(content)), None)
    if held is not None and held not in found.begins:
        sentence = f"By its content the file is {held}, by its name {found.name}; give it the ending of what it is."
        raise UnreadableFileError(ProblemCode.UNKNOWN_FORMAT, sentence)


def _checked(paged: PagedText) -> PagedText:
    text = paged.text
    if not text.strip():
        raise UnreadableFileError(ProblemCode.EMPTY, "The file holds no text that a reader sees.")
    if len(text) > _LONGEST_TEXT:
        sentence = f"The file holds {len(text):,} characters of text; the limit is {_LONGEST_TEXT:,}."
        raise UnreadableFileError(ProblemCode.TOO_LARGE, sentence)
    control = find_control(text)
    if control is None:
        return paged
    line = next(number for number, each in enumerate(text.split("\n"), 1) if find_control(each))
    raise UnreadableFileError(ProblemCode.CONTROL_CHARACTER, f"Line {line} holds the control character {control}.")
