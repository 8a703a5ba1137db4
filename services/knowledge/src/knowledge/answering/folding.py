"""Brings what a customer typed to one form, so that rules are matched whatever the script, width or case."""

import re
import unicodedata

from knowledge.ingestion.script import simplified

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_APOSTROPHES = str.maketrans(dict.fromkeys("‘’ʼ＇`´", "'"))
_FILLERS = "\u115f\u1160\u3164\uffa0\u2800"
_SPACE = re.compile(r"\s+")
_SPACE_IN_HAN = re.compile(rf"(?<=[{HAN}]) (?=[{HAN}])")


def fold(text: str) -> str:
    """Fold a text: NFKC, lower case, simplified characters, straight apostrophes, single blanks, nothing invisible."""
    straight = unicodedata.normalize("NFKC", text.translate(_APOSTROPHES)).casefold()
    visible = "".join(" " if _is_separator(c) else c for c in straight if not _is_invisible(c))
    return _SPACE_IN_HAN.sub("", _SPACE.sub(" ", simplified(visible)).strip())


def has_words(text: str) -> bool:
    """Tell whether a text holds any letter or digit at all."""
    return any(unicodedata.category(character)[0] in "LN" for character in text)


def _is_invisible(character: str) -> bool:
    """Tell what has no width, and marks that were laid over a letter and are no part of it."""
    return unicodedata.category(character) in ("Cf", "Mn", "Me") or character in _FILLERS


def _is_separator(character: str) -> bool:
    return unicodedata.category(character)[0] in "ZC"
