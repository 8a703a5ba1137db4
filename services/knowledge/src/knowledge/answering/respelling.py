"""Reads a word of the policy where something else stands for one of its letters or characters.

"tou诉" and "我要tousu" are spelled by their sound, "投拆" with a character that looks alike, "c0mpla1nt" with digits. What is
read so is a word that topics are named with, or it stays as it is.
"""

import re
from functools import lru_cache
from itertools import product
from typing import Final

from knowledge.answering.folding import HAN

# How the words sound by which people complain, sue, or ask for a person. Listed whole, for a syllable alone says little:
# "一起su" is no 起诉, so that one is read by its first syllable only.
_SOUNDS: Final[dict[str, tuple[str, str]]] = {
    "投诉": ("tou", "su"), "举报": ("ju", "bao"), "起诉": ("qi", ""), "律师": ("l[vu]", "shi"), "诉讼": ("su", "song"),
    "控告": ("kong", "gao"), "曝光": ("(?:bao|pu)", "guang"), "维权": ("wei", "quan"), "报警": ("bao", "jing"),
    "法院": ("fa", "yuan"), "法庭": ("fa", "ting"), "仲裁": ("zhong", "cai"), "媒体": ("mei", "ti"),
    "记者": ("ji", "zhe"), "消协": ("xiao", "xie"), "诈骗": ("zha", "pian"), "欺诈": ("qi", "zha"),
    "骗子": ("pian", "zi"), "差评": ("cha", "ping"), "人工": ("ren", "gong"), "客服": ("ke", "fu"),
}  # fmt: skip
# No other word holds one of these: 起拆 stands in 一起拆箱, 津师 in 天津师范.
_ALIKE: Final = {"投拆": "投诉", "投述": "投诉", "举抱": "举报", "举暴": "举报", "律帅": "律师", "人エ": "人工"}
_FOR_LETTERS: Final = {"0": "o", "1": "il", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "@": "a", "$": "s"}
_STANDS_FOR: Final = "".join(_FOR_LETTERS)
_MIXED: Final = re.compile(
    rf"(?<![\w@$])(?=[a-z{_STANDS_FOR}]*[a-z])(?=[a-z]*[{_STANDS_FOR}])[a-z{_STANDS_FOR}]{{4,24}}(?![\w@$])"
)
# Of a word with more there are too many readings, and none is likely.
_MOST_AMBIGUOUS: Final = 3


def respelled(text: str, *, words: frozenset[str], pairs: frozenset[str]) -> str:
    """Spell the words and pairs of a policy as it does, wherever a folded text writes them otherwise."""
    spelled = _MIXED.sub(lambda found: _spelled(found.group(), words), text)
    sounding = _sounding(pairs)
    return sounding.sub(_word_of, spelled) if sounding is not None else spelled


def looking_alike(text: str, *, pairs: frozenset[str]) -> str:
    """Put the characters of a policy in the place of those that look like them."""
    for written, meant in _ALIKE.items():
        if meant in pairs:
            text = text.replace(written, meant)
    return text


def _spelled(token: str, words: frozenset[str]) -> str:
    """Give the word that a token with digits may be; the token itself when the policy has none."""
    if sum(len(_FOR_LETTERS.get(each, "")) > 1 for each in token) > _MOST_AMBIGUOUS:
        return token
    readings = product(*(_FOR_LETTERS.get(each, each) for each in token))
    return next((word for word in map("".join, readings) if word in words), token)


@lru_cache(maxsize=64)
def _sounding(pairs: frozenset[str]) -> re.Pattern[str] | None:
    known = [word for word in _SOUNDS if word in pairs]
    return re.compile("|".join(f"(?P<{word}>{_expression(word)})" for word in known)) if known else None


def _expression(word: str) -> str:
    """Match a word of which one character, or both beside Chinese text, are written by their sound."""
    first, second = _SOUNDS[word]
    forms = [rf"(?<![a-z]){first} ?{word[1]}"]
    if second:
        both = rf"{first} ?{second}"
        forms += [
            rf"{word[0]} ?{second}(?![a-z])",
            rf"(?<=[{HAN}]) ?{both}(?![a-z])",
            rf"(?<![a-z]){both} ?(?=[{HAN}])",
        ]
    return "|".join(forms)


def _word_of(found: re.Match[str]) -> str:
    return found.lastgroup or found.group()
