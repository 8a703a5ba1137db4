"""Brings what a customer typed to one form, so that rules are matched whatever the script, width or case."""

import re
import unicodedata

from knowledge.ingestion.script import simplified

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_APOSTROPHES = str.maketrans(dict.fromkeys("‘’ʼ＇`´", "'"))
_FILLERS = "\u115f\u1160\u3164\uffa0\u2800"
_SPACE = re.compile(r"\s+")
_SPACE_IN_HAN = re.compile(rf"(?<=[{HAN}]) (?=[{HAN}])")


class _Visible(dict[int, str]):
    """Says once for each character what is left of it."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if category in ("Cf", "Mn", "Me") or character in _FILLERS:
            # No width, or a mark that was laid over a letter and is no part of it.
            left = ""
        else:
            left = " " if category[0] in "ZC" else character
        self[code] = left
        return left


_VISIBLE = _Visible()
_CLOSERS = r"[\s\"'”’」』）)\]】*_]*$"
_QUESTION = re.compile(
    rf"[?？⁇⁈؟]{_CLOSERS}|(?:吗|么|呢)[。.!！]?{_CLOSERS}|(?:是不是|能不能|可不可以|有没有)[^，,。]*[。.]?{_CLOSERS}"
)


def fold(text: str) -> str:
    """Fold a text: NFKC, lower case, simplified characters, straight apostrophes, single blanks, nothing invisible."""
    straight = unicodedata.normalize("NFKC", text.translate(_APOSTROPHES)).casefold()
    visible = straight.translate(_VISIBLE)
    return _SPACE_IN_HAN.sub("", _SPACE.sub(" ", simplified(visible)).strip())


def has_words(text: str) -> bool:
    """Tell whether a text holds any letter or digit at all."""
    return any(unicodedata.category(character)[0] in "LN" for character in text)


def asks(text: str) -> bool:
    """Tell whether a folded sentence is a question."""
    return _QUESTION.search(text) is not None
