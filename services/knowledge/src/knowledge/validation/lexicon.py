"""Find the wordings of many concepts in one pass over a text.

The matcher tries the alternatives of a pattern one after the other, but skips those that begin with another letter at
little cost. So a lexicon of hundreds of wordings is sorted by first letters, and its pattern asks for the letter first.
Alternatives hold no groups; which concept was found is looked up for the few places that match.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final

# A word boundary is asked for once, in front of everything, so that alternatives begin with a letter.
_BOUNDARY = re.compile(r"(^|\||\(\?:)\\b")
_ATOM = re.compile(r"\\.|\[(?:\\.|[^\]\\])+\]|\((?:\?(?::|<?[=!]))?|[^\\]", re.DOTALL)
# The start of a group that has to match; what must not match, needs nothing.
_OPENED = re.compile(r"\((?:\?(?::|<?=|P<\w+>))?(?!\?)")
_QUANTIFIER = re.compile(r"\A(?:[?*+]|\{[\d,]+\})[?+]?")
_MAY_LACK = re.compile(r"[?*]|\{0?,|\{0\}")
# What matches between characters, and what matches nearly all of them.
_BETWEEN: Final = ("(?=", "(?!", "(?<=", "(?<!", r"\b", r"\B", "^", "$")
_NEARLY_ANY: Final = (".", "[^", r"\w", r"\W", r"\S", r"\D")
_NOTHING: Final = r"(?!)"
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_HAN: Final = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Named patterns over texts in the normal form of `words.normalise`; the first one that fits counts."""

    entries: re.Pattern[str]
    """The entries in their order, each in a group."""
    names: dict[str, str]
    """Names of entries by their groups."""
    source: str
    """The pattern that matches wherever an entry does."""
    known: dict[str, str]
    """Names by wording: a wording that was met keeps its name."""

    def name(self, found: re.Match[str]) -> str:
        """Give the name of the entry that a match of `source` belongs to."""
        wording = found.group()
        name = self.known.get(wording)
        if name is None:
            if len(self.known) >= _MOST_KNOWN:
                self.known.clear()
            entry = next(self.entries.finditer(found.string, found.start()))
            name = self.known[wording] = self.names[entry.lastgroup or ""]
        return name


_MOST_KNOWN: Final = 4096
_TOGETHER: Final = 48


@dataclass(frozen=True, slots=True)
class Bilingual:
    """A pattern of two languages that spares English texts the alternatives that need a Chinese character."""

    whole: re.Pattern[str]
    english: re.Pattern[str]

    def of(self, text: str) -> re.Pattern[str]:
        """Give the pattern that finds in a text what the whole one does."""
        return self.english if text.isascii() else self.whole

    def search(self, text: str) -> re.Match[str] | None:
        """Find the first place that the pattern matches."""
        return self.of(text).search(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Yield every place that the pattern matches."""
        return self.of(text).finditer(text)

    def findall(self, text: str) -> list[str]:
        """List what the pattern matches."""
        return self.of(text).findall(text)

    def sub(self, replacement: str | Callable[[re.Match[str]], str], text: str) -> str:
        """Put something else in the place of what the pattern matches."""
        return self.of(text).sub(replacement, text)


def make_bilingual(pattern: str) -> Bilingual:
    """Compile a pattern for texts of either language; it calls no group by number, for what is left out is not counted."""
    english = "|".join(each for each in split_alternatives(pattern) if not _needs_han(each))
    return Bilingual(compile_by_start(pattern), compile_by_start(english or _NOTHING))


def _needs_han(alternative: str) -> bool:
    """Tell whether an alternative plainly matches no text without Chinese characters."""
    first, rest = _split(alternative)
    is_certain = not rest.startswith(("?", "*", "{0"))
    return bool(first) and ((is_certain and _is_han(first)) or _needs_han(rest))


def _is_han(atom: str) -> bool:
    """Tell whether a character, class or group matches Chinese characters alone."""
    if atom.startswith("("):
        opened = _OPENED.match(atom)
        return opened is not None and all(map(_needs_han, split_alternatives(atom[opened.end() : -1])))
    return not any(map(str.isascii, atom.removeprefix("[").removesuffix("]")))


def compile_by_start(pattern: str) -> re.Pattern[str]:
    """Compile a pattern whose alternatives are tried where one of the characters stands that they begin with.

    A boundary or group in front hides the first letters of alternatives from the matcher, which then enters all of
    them at each place of a text. The pattern matches the same places; what may begin with nearly anything is left.
    """
    runs = groupby(split_alternatives(pattern), _begins_plainly)
    return re.compile("|".join(_asking_start("|".join(run)) if is_plain else "|".join(run) for is_plain, run in runs))


def _asking_start(alternatives: str) -> str:
    """Ask for the characters that alternatives begin with before they are tried."""
    return f"(?={'|'.join(dict.fromkeys(_starts(alternatives)))})(?:{alternatives})"


def _begins_plainly(alternative: str) -> bool:
    """Tell whether an alternative begins with a few characters that are known."""
    return not any(not start or start.startswith(_NEARLY_ANY) for start in _starts(alternative))


def _starts(pattern: str) -> Iterator[str]:
    """Yield the characters and classes that a pattern may begin with, and "" if it may match nothing."""
    for alternative in split_alternatives(pattern):
        first, rest = _split(alternative)
        starts = _starts_within(first)
        yield from filter(None, starts)
        if not first:
            yield ""
        elif "" in starts or _MAY_LACK.match(rest):
            yield from _starts(_QUANTIFIER.sub("", rest, count=1))


def _starts_within(first: str) -> tuple[str, ...]:
    """List what a character, class, group or boundary may begin with."""
    if not first or first.startswith(_BETWEEN):
        return ("",)
    if first.startswith("("):
        opened = _OPENED.match(first)
        return tuple(_starts(first[opened.end() : -1])) if opened else (".",)
    return (first,)


def make_lexicon(entries: tuple[tuple[str, str], ...], *, figures: str = "") -> Lexicon:
    """Join named patterns, whose groups must all be unnamed and uncaptured, over words and Chinese characters.

    `figures` are the digits that wordings may begin with too.
    """
    bare = tuple((name, _BOUNDARY.sub(r"\1", pattern)) for name, pattern in entries)
    flat = "|".join(pattern for _, pattern in bare)
    source = sort_alternatives(flat, begins_word=r"(?<![a-z])(?<![a-z]')", figures=figures)
    grouped = "|".join(f"(?P<e{number}>{pattern})" for number, (_, pattern) in enumerate(bare))
    names = {f"e{number}": name for number, (name, _) in enumerate(bare)}
    return Lexicon(re.compile(grouped), names, source, {})


def sort_alternatives(pattern: str, *, begins_word: str = r"(?<![a-z])", figures: str = "") -> str:
    """Sort the alternatives of a pattern by first letters; they begin with a Chinese character, a word or a figure."""
    flat = _BOUNDARY.sub(r"\1", pattern)
    letters = sort_by_start(flat, _LETTERS)
    han = sort_by_start(flat, "".join(sorted({*_HAN.findall(flat), *figures})))
    parts = ((begins_word, letters), ("", han))
    return f"(?:{'|'.join(before + _asking_first(starts) for before, starts in parts if starts)})"


def _asking_first(starts: dict[str, str]) -> str:
    """Ask for the first character before alternatives, which are tried one by one; of hundreds, some dozens together."""
    characters = "".join(starts)
    groups = [characters[at : at + _TOGETHER] for at in range(0, len(characters), _TOGETHER)]
    several = [_asking_first({each: starts[each] for each in group}) for group in groups if len(groups) > 1]
    return rf"(?=[{characters}])(?:{'|'.join(several or starts.values())})"


def find_names(lexicon: Lexicon, pattern: re.Pattern[str], text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield what a lexicon names in a text, in order; `pattern` is its compiled source."""
    for found in pattern.finditer(text):
        yield lexicon.name(found), found


def name_wordings(lexicon: Lexicon, pattern: re.Pattern[str], text: str) -> list[tuple[str, str]]:
    """List what a lexicon names in a text with its wordings, in order.

    The places are left out: without them wordings that were met before cost the matcher alone.
    """
    wordings: list[str] = pattern.findall(text)
    known = lexicon.known
    try:
        return [(known[wording], wording) for wording in wordings]
    except KeyError:
        return [(name, found.group()) for name, found in find_names(lexicon, pattern, text)]


def sort_by_start(pattern: str, alphabet: str) -> dict[str, str]:
    """Sort the alternatives of a pattern by the character that what they match begins with, keeping their order.

    An alternative that may begin with several characters of the alphabet stands at each of them.
    """
    at_start: dict[str, list[str]] = {}
    for alternative in split_alternatives(pattern):
        for start, rest in _openings(alternative, alphabet):
            at_start.setdefault(start, []).append(rest)
    return {start: f"{start}(?:{'|'.join(rests)})" for start, rests in sorted(at_start.items())}


def split_alternatives(pattern: str) -> Iterator[str]:
    """Yield the alternatives of a pattern that stand in no group of it."""
    begun, depth = 0, 0
    for atom in _ATOM.finditer(pattern):
        depth += atom.group().startswith("(") - (atom.group() == ")")
        if atom.group() == "|" and depth == 0:
            yield pattern[begun : atom.start()]
            begun = atom.end()
    yield pattern[begun:]


def _openings(alternative: str, alphabet: str) -> Iterator[tuple[str, str]]:
    """Yield each character of an alphabet that an alternative may begin with, and the pattern of what follows it."""
    first, rest = _split(alternative)
    may_lack = rest.startswith("?")
    rest = rest.removeprefix("?")
    if first.startswith(("(?<=", "(?<!")):
        for start, behind in _openings(rest.removeprefix(r"\b"), alphabet):
            yield start, f"{first[:4]}(?:{first[4:-1]}){start}){behind}"
    elif first.startswith("(?:"):
        for each in split_alternatives(first[3:-1]):
            yield from _openings(each + rest, alphabet)
    elif first.startswith("(") or first == r"\b" or rest.startswith(("*", "{")):
        message = f"{alternative!r} has no plain beginning"
        raise ValueError(message)
    else:
        behind = f"{first}*{rest[1:]}" if rest.startswith("+") else rest
        yield from ((character, behind) for character in _matched_by(first, alphabet))
    if may_lack:
        yield from _openings(rest, alphabet)


def _matched_by(first: str, alphabet: str) -> str:
    """Give the characters of an alphabet that a pattern of one character matches; most patterns are that character."""
    if first.isalnum():
        return first if first in alphabet else ""
    matches = re.compile(first).fullmatch
    return "".join(character for character in alphabet if matches(character))


def _split(alternative: str) -> tuple[str, str]:
    """Cut off the first character, class or group of an alternative."""
    depth = 0
    for atom in _ATOM.finditer(alternative):
        depth += atom.group().startswith("(") - (atom.group() == ")")
        if depth == 0:
            return alternative[: atom.end()], alternative[atom.end() :]
    return alternative, ""
