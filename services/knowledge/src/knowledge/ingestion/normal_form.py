"""From bytes to the stored normal form: the text that spans, quotes and "verbatim" refer to."""

import re
import unicodedata
from typing import Final

from knowledge.ingestion.masking import mask
from knowledge.ingestion.problems import Problem, ProblemCode

LARGEST_FILE_BYTES: Final = 10 * 1024 * 1024

_FIELD: Final = "content"
_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f]")
_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def decode(path: str, content: bytes) -> str | Problem:
    """Read UTF-8 with any line ends; give the text with line feeds, or the problem."""
    if len(content) > LARGEST_FILE_BYTES:
        limit = LARGEST_FILE_BYTES // 1024 // 1024
        sentence = f"The file has {len(content) / 1024 / 1024:.1f} MB; the limit is {limit} MB."
        return Problem(path, _FIELD, ProblemCode.TOO_LARGE, sentence)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as foreign:
        return _not_utf8(path, content, foreign)
    if not text.strip():
        return Problem(path, _FIELD, ProblemCode.EMPTY, "The file is empty.")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    control = _CONTROL.search(text)
    if control is None:
        return text
    line = text.count("\n", 0, control.start()) + 1
    sentence = f"Line {line} holds the control character U+{ord(control.group()):04X}."
    return Problem(path, _FIELD, ProblemCode.CONTROL_CHARACTER, sentence)


def normal_form(body: str) -> str:
    """Give what is stored of a body: composed characters, no comments, personal data masked. Repeat: no further change."""
    return mask(_COMMENT.sub("", unicodedata.normalize("NFC", body)))


def _not_utf8(path: str, content: bytes, foreign: UnicodeDecodeError) -> Problem:
    line = content.count(b"\n", 0, foreign.start) + 1
    guess = " It looks like UTF-16." if content[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
    sentence = f"The file is not UTF-8: line {line} holds a byte that UTF-8 does not have.{guess}"
    return Problem(path, _FIELD, ProblemCode.NOT_UTF8, sentence)
