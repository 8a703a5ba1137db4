"""Turns text into the terms of the index. Index and question go through the same analyser, named by its version.

Chinese, Japanese and Korean runs give single characters and neighbouring pairs, without a dictionary; Latin and
number runs stay whole (`AB-1234/5`, `v2.10.3`, `C++`) and are cut into their parts as well; English words are stemmed.
Source: retrieval.md sections 4 and 10.
"""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from operator import add
from typing import Any, Final

from snowballstemmer import stemmer  # pyright: ignore[reportUnknownVariableType]  # the package ships no types

from knowledge.ingestion.script import simplified

ANALYSER: Final = "uni-bigram-1"
# Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", equation 3.15.
K1: Final = 1.2
B: Final = 0.75

_CJK: Final = "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_RUN: Final = re.compile(
    rf"(?P<cjk>[{_CJK}\U00020000-\U0003ffff]+)|(?P<latin>[^\W_{_CJK}]+(?:[.+#&/_'-]+[^\W_{_CJK}]+)*[+#]*)"
)
# What the pattern above finds where all characters are of ASCII, at half its time.
_ASCII_RUN: Final = re.compile(r"[a-z0-9]+(?:[.+#&/_'-]+[a-z0-9]+)*[+#]*")
_PART: Final = re.compile(r"[^\W_]+")
_WORD: Final = re.compile(r"[a-z]+(?:'[a-z]+)?")
_STOP_WORDS: Final = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "been",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "for",
        "from",
        "had",
        "has",
        "have",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "me",
        "my",
        "of",
        "on",
        "or",
        "our",
        "so",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "to",
        "us",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "who",
        "will",
        "with",
        "would",
        "you",
        "your",
    ]
)


def terms(text: str) -> list[str]:
    """List the terms of a text, in order and with repetitions. Shapes: empty when there is no letter or digit."""
    found: list[str] = []
    if text.isascii():
        for run in _ASCII_RUN.findall(text.lower()):
            found.extend(_of_latin(run))
        return found
    clean = text.encode("utf-8", "ignore").decode("utf-8")
    folded = simplified(unicodedata.normalize("NFKC", clean).lower().replace("’", "'"))
    for cjk, latin in _RUN.findall(folded):
        if cjk:
            found.extend(cjk)
            found.extend(map(add, cjk, cjk[1:]))
        else:
            found.extend(_of_latin(latin))
    return found


@lru_cache(maxsize=50_000)
def term_id(term: str) -> int:
    """Give the number of a term: 64 bits of its hash, which fit Postgres's bigint."""
    return int.from_bytes(hashlib.blake2b(term.encode(), digest_size=8).digest(), "big", signed=True)


def count_terms(text_terms: Iterable[str]) -> dict[int, int]:
    """Say how often each term stands in a text, by the numbers of the terms."""
    counted: dict[int, int] = {}
    for term, count in Counter(text_terms).items():
        number = term_id(term)
        counted[number] = counted.get(number, 0) + count
    return counted


@lru_cache(maxsize=50_000)
def _of_latin(run: str) -> tuple[str, ...]:
    if _WORD.fullmatch(run):
        return tuple(_of_word(run.partition("'")[0]))
    parts = _PART.findall(run)
    whole = () if parts == [run] else (run,)
    return (*whole, *(term for part in parts for term in _of_word(part)))


def _of_word(word: str) -> Iterator[str]:
    if word not in _STOP_WORDS:
        # A stemmer holds the word it works on, so threads must not share one.
        yield str(_english().stemWord(word)) if word.isascii() and word.isalpha() else word


def _english() -> Any:  # as above
    return stemmer("english")  # pyright: ignore[reportUnknownVariableType]  # as above
