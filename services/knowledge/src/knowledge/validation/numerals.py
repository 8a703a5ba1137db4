"""Read numbers as people write them: digits, Chinese numerals, English number words. Exact fractions throughout."""

import re
from fractions import Fraction
from functools import lru_cache

_HAN_DIGITS = {
    "零": 0,
    "〇": 0,
    "一": 1,
    "二": 2,
    "两": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
}
_HAN_TENS = {"十": 10, "百": 100, "千": 1000}
_HAN_SCALES = {"万": 10**4, "亿": 10**8}
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORD_VALUES = {
    **{word: value for value, word in enumerate(_SMALL.split())},
    **{word: value * 10 for value, word in enumerate(_TENS.split(), start=2)},
    "dozen": 12,
}
_WORD_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}

_WORD = "|".join(sorted((*_WORD_VALUES, *_WORD_SCALES), key=len, reverse=True))
# Longer runs of digits are no numbers anyone reads; they are compared as text.
DIGITS = r"(?:\d{1,3}(?:,\d{3}){1,9}(?:\.\d{1,30})?|\d{1,30}(?:\.\d{1,30})?)(?!\d)"
# A numeral that begins a word of its own ends the number before it: 初三一共.
HAN = r"[一二两三四五六七八九十百千廿卅](?:(?!一[共起同])[零〇一二两三四五六七八九十百千万亿廿卅]){0,30}"
# "One hundred and five" is one number, "six and eleven" are two.
WORDS = rf"(?:{_WORD})(?:(?:(?:(?<=hundred)|(?<=thousand)|(?<=million))\s+and\s+|[\s-]+)(?:{_WORD}))*"
# Figures and characters mixed: 1万5千, 2亿5千万; 千克 is a unit.
_MIXED = r"\d{1,4}[百千万亿]+(?:\d{1,4}(?:[百千万亿](?![克米瓦卡]))+){1,3}"
SCALE = r"\s*(?:百万|千万|万|亿|千|百|(?:hundred|thousand|million|billion)\b|k\b)"
NUMBER = rf"(?:(?<![\d.,]){_MIXED}|(?<![\d.])(?:{DIGITS})(?:{SCALE})?|(?<![a-z])(?:{WORDS})(?![a-z])|{HAN})"

_DIGITS_THEN_SCALE = re.compile(rf"({DIGITS})\s*(.*)")
_WHOLE_MIXED = re.compile(_MIXED)
_PIECE_OF_MIXED = re.compile(r"(\d+)|([百千])|(万)|(亿)")
_SCALE_VALUES = {**_HAN_TENS, **_HAN_SCALES, **_WORD_SCALES, "百万": 10**6, "千万": 10**7, "k": 1000, "": 1}


@lru_cache(maxsize=2048)
def read_number(text: str) -> Fraction:
    """Give the value of a text that matches NUMBER, in the normal form of `words.normalise`."""
    if _WHOLE_MIXED.fullmatch(text):
        return Fraction(_read_mixed(text))
    digits = _DIGITS_THEN_SCALE.fullmatch(text)
    if digits is not None:
        return Fraction(digits.group(1).replace(",", "")) * _SCALE_VALUES[digits.group(2).strip()]
    if text[0].isascii():
        return Fraction(_read_words(text))
    return Fraction(_read_han(text))


def _read_words(text: str) -> int:
    total, current = 0, 0
    for word in re.split(r"[\s-]+", text):
        scale = _WORD_SCALES.get(word)
        if scale is None:
            current += _WORD_VALUES.get(word, 0)
        elif scale == _WORD_SCALES["hundred"]:
            current = max(current, 1) * scale
        else:
            total, current = total + max(current, 1) * scale, 0
    return total + current


def _read_han(text: str) -> int:
    """Read both 二百五十 and the digit-by-digit style 二〇二四."""
    text = text.replace("廿", "二十").replace("卅", "三十")
    if len(text) > 1 and all(character in _HAN_DIGITS for character in text):
        return int("".join(str(_HAN_DIGITS[character]) for character in text))
    total, section, digit = 0, 0, 0
    for character in text:
        if character in _HAN_DIGITS:
            digit = _HAN_DIGITS[character]
        elif character in _HAN_TENS:
            section, digit = section + (digit or 1) * _HAN_TENS[character], 0
        elif character == "万":
            total, section, digit = total + (section + digit) * _HAN_SCALES[character], 0, 0
        else:
            total, section, digit = (total + section + digit) * _HAN_SCALES[character], 0, 0
    return total + section + digit * _tail(text)


def _read_mixed(text: str) -> int:
    """Read 1万5千 and 2亿5千万: each scale counts what stands in front of it since the last larger one."""
    total, section, number = 0, 0, 0
    for digits, small, ten_thousand, _ in _PIECE_OF_MIXED.findall(text):
        if digits:
            number = int(digits)
        elif small:
            section, number = section + max(number, 1) * _HAN_TENS[small], 0
        elif ten_thousand:
            total, section, number = total + (section + number) * _HAN_SCALES["万"], 0, 0
        else:
            total, section, number = (total + section + number) * _HAN_SCALES["亿"], 0, 0
    return total + section + number


def _tail(text: str) -> int:
    """Give what the last digit counts: hundreds in 一千五, one everywhere else."""
    scale = (_HAN_TENS | _HAN_SCALES).get(text[-2:-1], 1)
    return max(scale // 10, 1) if text[-1] in _HAN_DIGITS else 1
