"""Reads through what is put between the letters of a word to get a topic past the routing policy.

"投.诉", "投，诉", "投x诉", "com-plaint", "c o m p l a i n t" and "law yer" are words that the policy knows, written so that it does not find
them; so are those that `respelling` reads. What comes out is matched beside the question as it was typed, never instead of it.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from knowledge.answering.folding import HAN, fold
from knowledge.answering.respelling import looking_alike, respelled
from knowledge.versions.routing_policy import Topic

# Nobody ends a sentence with these, and no word of a policy is spelt with them.
_SENTENCE: Final = r",，、。!！?？;；:：“”‘’\"'()《》&@"
_SYMBOLS: Final = rf"(?:[^\w\s{_SENTENCE}]|_)+"
_BETWEEN_HAN: Final = re.compile(rf"(?<=[{HAN}]){_SYMBOLS}(?=[{HAN}])")
_BETWEEN_LETTERS: Final = re.compile(rf"(?<=[a-z]){_SYMBOLS}(?=[a-z])")
# Up to two letters or digits too: in no sentence do they stand within a word.
_ANY_BETWEEN_HAN: Final = re.compile(
    rf"(?<=[{HAN}])(?:[\W_]+(?:[a-z0-9]{{1,2}}[\W_]*)?|[a-z0-9]{{1,2}}[\W_]*)(?=[{HAN}])"
)
_SPACED: Final = re.compile(r"(?<!\w)(?:[a-z] ){3,}[a-z](?!\w)")
_WIDE_SPACE: Final = re.compile(r"[^\S\n]{2,}")
_ESCAPE: Final = re.compile(r"\\[A-Za-z]")
_TOKEN: Final = re.compile(r"[a-z']+")
_MOST_PIECES: Final = 4


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words that topics are named with: English ones, and pairs of Chinese characters."""

    words: frozenset[str]
    pairs: frozenset[str]


@lru_cache(maxsize=64)
def vocabulary_of(topics: tuple[Topic, ...]) -> Vocabulary:
    """Collect the words of phrases and patterns."""
    texts = [text for topic in topics for text in (*map(fold, topic.phrases), *topic.patterns)]
    plain = _ESCAPE.sub(" ", " | ".join(texts))
    pairs = {plain[at : at + 2] for at in range(len(plain) - 1) if re.fullmatch(f"[{HAN}]{{2}}", plain[at : at + 2])}
    words = {word[: len(word) - len(optional)] for word, optional in re.findall(r"([a-z]{4,})(\??)", plain)}
    return Vocabulary(words=frozenset(words.union(re.findall(r"[a-z]{4,}", plain))), pairs=frozenset(pairs))


def undisguised(question: str, vocabulary: Vocabulary) -> str:
    """Fold a question and close the words that something was put into."""
    visible = _bare(question).casefold()
    spaced = " | ".join(_close_spaced(fold(run), vocabulary) for run in _WIDE_SPACE.split(visible))
    folded = respelled(fold(spaced.replace(" | ", " ")), words=vocabulary.words, pairs=vocabulary.pairs)
    closed = looking_alike(_BETWEEN_LETTERS.sub("", _BETWEEN_HAN.sub("", folded)), pairs=vocabulary.pairs)
    return _close_words(_close_pairs(closed, vocabulary), vocabulary)


def _bare(question: str) -> str:
    """Take the marks off letters, which spell a sound ("tóu") or hide a word ("cómplaint")."""
    parted = unicodedata.normalize("NFKD", question)
    return unicodedata.normalize("NFKC", "".join(each for each in parted if unicodedata.category(each) != "Mn"))


def _close_spaced(text: str, vocabulary: Vocabulary) -> str:
    """Close letters that stand apart; a word of the policy at their end is one of its own."""

    def close(run: re.Match[str]) -> str:
        letters = run.group().split(" ")
        ends = (at for at in range(len(letters)) if "".join(letters[at:]) in vocabulary.words)
        begins = next(ends, 0)
        return " ".join((*letters[:begins], "".join(letters[begins:])))

    return _SPACED.sub(close, text)


def _close_pairs(text: str, vocabulary: Vocabulary) -> str:
    """Close what stands between two characters that are a word of the policy: a comma, a full stop, a letter or two."""

    def close(gap: re.Match[str]) -> str:
        pair = text[gap.start() - 1] + text[gap.end()]
        return "" if pair in vocabulary.pairs else gap.group()

    return _ANY_BETWEEN_HAN.sub(close, text)


def _close_words(text: str, vocabulary: Vocabulary) -> str:
    """Close up to four pieces that are a word of the policy together and not by themselves."""
    pieces: list[str] = []
    at = 0
    tokens = list(_TOKEN.finditer(text))
    place = 0
    while place < len(tokens):
        length = next(_broken(text, tokens[place : place + _MOST_PIECES], vocabulary), 1)
        pieces.append(text[at : tokens[place].start()])
        pieces.extend(token.group() for token in tokens[place : place + length])
        at = tokens[place + length - 1].end()
        place += length
    return "".join((*pieces, text[at:]))


def _broken(text: str, tokens: list[re.Match[str]], vocabulary: Vocabulary) -> Iterator[int]:
    """Yield how many tokens are one broken word, the longest first."""
    for length in range(len(tokens), 1, -1):
        some = [token.group() for token in tokens[:length]]
        gaps = (text[one.end() : other.start()] for one, other in pairwise(tokens[:length]))
        joined = "".join(some)
        if joined in vocabulary.words and not vocabulary.words.issuperset(some) and all(gap == " " for gap in gaps):
            yield length
