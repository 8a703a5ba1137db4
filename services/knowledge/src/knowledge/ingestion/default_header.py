"""What a file that cannot carry a header of its own is taken for when none came with it."""

import re
from pathlib import PurePosixPath
from typing import Final

_NOT_IN_SLUG: Final = re.compile(r"[\s?#%\\]+")
_HAN: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_LATIN: Final = re.compile(r"[A-Za-z]")
_LONGEST_SLUG: Final = 200
# About as many Latin letters as one Chinese character says; a Chinese policy may be full of product names.
_LETTERS_A_CHARACTER: Final = 3
_FIRST_LABEL: Final = "1"


def default_header(path: str, text: str) -> dict[str, object]:
    """Name the document after its file; the language is the one most of the text is written in."""
    slug = _NOT_IN_SLUG.sub("-", str(PurePosixPath(path).with_suffix("")).strip("/"))[:_LONGEST_SLUG]
    is_chinese = len(_HAN.findall(text)) * _LETTERS_A_CHARACTER > len(_LATIN.findall(text))
    return {"slug": slug, "label": _FIRST_LABEL, "language": "zh" if is_chinese else "en"}
