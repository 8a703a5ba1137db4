"""The stored normal form: the text that spans, quotes and "verbatim" refer to."""

import re
import unicodedata
from typing import Final

# Half a surrogate pair is no character: no encoding can store it.
_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ud800-\udfff]")
_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def find_control(text: str) -> str | None:
    """Give the first character that no text may hold, as U+0007, or None."""
    control = _CONTROL.search(text)
    return f"U+{ord(control.group()):04X}" if control else None


def without_comments(markdown: str) -> str:
    """Take out what a Markdown author hid from readers."""
    return _COMMENT.sub("", markdown)


def normal_form(body: str) -> str:
    """Give a body in composed characters: what is masked and then stored. Repeat: no further change."""
    return unicodedata.normalize("NFC", body)
