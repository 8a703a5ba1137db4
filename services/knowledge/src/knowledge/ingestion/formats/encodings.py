"""Find out which of UTF-8, UTF-16 and GB18030 a text is written in."""

import codecs
import re
from typing import Final

from knowledge.ingestion.formats.faults import UnreadableFileError
from knowledge.ingestion.problems import ProblemCode

_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UTF16: Final = ("utf-16-le", "utf-16-be")
# So much of a text says in which order its bytes stand.
_LOOKED_AT: Final = 20_000
_WIDE: Final = re.compile(r"[^\x00-\x7f]")

# GB18030 has a meaning for nearly every pair of bytes. In Chinese that is really written in it at least this share of
# the characters is among the usual ones of GB 2312; in Western or Big5 bytes read as GB18030 it is not.
_USUAL_SHARE: Final = 0.6
# A single one inside a Latin word is a pair of accented letters.
_INSIDE_WORD: Final = re.compile(r"(?<=[a-z])[^\x00-\x7f](?=[a-z])")


def decode_text(content: bytes) -> str:
    """Give the text with line feeds and without a byte order mark.

    Errors: UnreadableFileError when the bytes are none of the three encodings.
    """
    text = _decoded(content)
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _decoded(content: bytes) -> str:
    try:
        # The mark of UTF-32 begins with that of UTF-16.
        if content.startswith(_MARKS) and not content.startswith(codecs.BOM_UTF32_LE):
            return content.decode("utf-16")
        if b"\x00" in content:
            return content.decode(_utf16_without_mark(content))
        return content.decode("utf-8")
    except UnicodeDecodeError as foreign:
        return _as_gb18030(content, foreign)


def _utf16_without_mark(content: bytes) -> str:
    """Tell the order of bytes by which of both gives usual characters; neither does in what is no such text."""
    if len(content) % 2:
        return "utf-8"
    shares = {order: _usual_share(content[:_LOOKED_AT].decode(order, "replace")) for order in _UTF16}
    order = max(shares, key=lambda each: shares[each])
    return order if shares[order] >= _USUAL_SHARE else "utf-8"


def _usual_share(text: str) -> float:
    usual = sum(1 for each in text if (each.isprintable() or each.isspace()) and _is_usual(each))
    return usual / max(len(text), 1)


def _as_gb18030(content: bytes, foreign: UnicodeDecodeError) -> str:
    try:
        text = content.decode("gb18030")
    except UnicodeDecodeError:
        raise _neither(content, foreign) from foreign
    wide = _WIDE.findall(text)
    usual = sum(1 for each in wide if _is_usual(each)) - len(_INSIDE_WORD.findall(text))
    if b"\x00" in content or usual < _USUAL_SHARE * len(wide):
        raise _neither(content, foreign) from foreign
    return text


def _is_usual(character: str) -> bool:
    try:
        character.encode("gb2312")
    except UnicodeEncodeError:
        return False
    return True


def _neither(content: bytes, foreign: UnicodeDecodeError) -> UnreadableFileError:
    line = content.count(b"\n", 0, foreign.start) + 1
    sentence = (
        f"The file is neither UTF-8 nor UTF-16 nor GB18030: line {line} holds a byte that none of them has there."
    )
    return UnreadableFileError(ProblemCode.UNKNOWN_ENCODING, sentence)
