"""Bring words to comparable forms and measure how many content words of a claim its quotes carry."""

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

import opencc
import snowballstemmer

from knowledge.ingestion.sentences import split_sentences
from knowledge.validation.readings import read_once

# Both libraries leave the types of these methods open; what they return is text.
_to_simplified: Callable[[str], str] = opencc.OpenCC("t2s").convert  # pyright: ignore[reportUnknownVariableType]
_to_stem: Callable[[str], str] = snowballstemmer.stemmer("english").stemWord  # pyright: ignore[reportUnknownVariableType]
_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_HAS_HAN = re.compile(f"[{_HAN}]")
_HAN_RUNS = re.compile(f"[{_HAN}]+")

_STOP_WORDS = frozenset(
    re.split(
        r"\|",
        r"a|an|the|this|that|these|those|it|its|is|are|was|were|be|been|being|am|do|does|did|done|have|has|had|having|and|or|"
        r"so|then|than|as|of|to|in|on|at|by|for|from|with|into|onto|about|there|here|which|who|whom|whose|what|when|where|"
        r"how|why|we|us|our|you|your|yours|they|them|their|i|me|my|he|she|his|her|will|would|shall|should|can|could|may|"
        r"might|must|also|just|very|such|any|some|each|every|all|if|up|out|over|own|s|t|re|ll|ve|one|get|gets|got|take|"
        r"takes|make|makes|let|lets|go|goes|need|needs|want|wants|still|even|only|no|not|never|don't|doesn't|can't|won't|"
        r"isn't|aren't|it's|we'll|you'll|that's|we're|you're|i'm|they're|wouldn't|didn't|couldn't|shouldn't|hasn't|haven't",
    )
)
_STOP_HAN = "的了是在和与及或也都就还又才而且其之于以将被把让给到从向对为由所这那您你我他它们请会能要有个者即则等吗呢吧啊按照应并可"
_WORD_OR_HAN = re.compile(rf"([a-z]+(?:'[a-z]+)?)|((?:(?![{_STOP_HAN}])[{_HAN}])+)")


# Marks of emphasis around words; a low line between letters ("snake_case") belongs to a word.
_EMPHASIS = re.compile(r"\*+|(?<![^\W_])_+(?=[^\W_])|(?<=[^\W_])_+(?![^\W_])")


@read_once
def normalise(text: str) -> str:
    """Fold a text for comparison: NFKC, lower case, simplified characters, straight apostrophes, no marks of emphasis."""
    if "*" in text or "_" in text:
        text = _EMPHASIS.sub("", text)
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'").replace("‘", "'")
    return _to_simplified(folded) if _HAS_HAN.search(folded) else folded


@read_once
def normal_sentences(text: str) -> tuple[str, ...]:
    """Split a text, whose capitals show where sentences start, and normalise each sentence."""
    return tuple(normalise(text[span.start : span.end]) for span in split_sentences(text))


def is_stop_word(word: str) -> bool:
    """Tell whether an English word carries no content of its own."""
    return word in _STOP_WORDS


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """Cut an English word to its stem."""
    return _to_stem(word.removesuffix("'s"))


def is_chinese(text: str) -> bool:
    """Tell whether a text is written in Chinese: at least a fifth of its letters are Chinese characters."""
    han = 0 if text.isascii() else sum(map(len, _HAN_RUNS.findall(text)))
    return han > 0 and han * 5 >= sum(map(str.isalpha, text))


@read_once
def content_words(text: str) -> frozenset[str]:
    """List the stems and two-character pieces that carry a text's meaning; numbers are left to the facts."""
    words: set[str] = set()
    for word, run in _WORD_OR_HAN.findall(normalise(text)):
        if run:
            words.update([run[i : i + 2] for i in range(len(run) - 1)] or (run,))
        elif word not in _STOP_WORDS:
            words.add(stem(word))
    return frozenset(words)
