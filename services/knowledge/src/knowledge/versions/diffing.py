"""What changed between two texts, sentence by sentence and inside a sentence word by word."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Final, Literal

from knowledge.ingestion.sentences import split_sentences

PieceKind = Literal["same", "removed", "added"]
ChangeKind = Literal["same", "removed", "added", "changed", "skipped"]

# Unchanged sentences shown on both sides of a change.
_AROUND: Final = 2
# Comparing takes time with the product of both lengths, and with the places at which both say the same; beyond these the
# middle counts as rewritten, and the sentences that are left are shown whole. Together they take about a second.
_MOST_SENTENCES: Final = 3_000
_MOST_EQUAL_PAIRS: Final = 50_000
_MOST_WORD_PAIRS: Final = 4_000_000
_WORD: Final = re.compile(r"[A-Za-z0-9]+|\s+|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a changed sentence."""

    kind: PieceKind
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One sentence in both texts, or in one of them. `skipped` stands for so many unchanged sentences."""

    kind: ChangeKind
    before: str | None = None
    after: str | None = None
    pieces: tuple[Piece, ...] = ()
    sentences: int = 1


def diff_texts(before: str, after: str) -> tuple[Change, ...]:
    """Compare two texts; nothing when they are equal."""
    if before == after:
        return ()
    return tuple(_shortened(list(_with_pieces(_changes(_sentences(before), _sentences(after))))))


def diff_words(before: str, after: str) -> tuple[Piece, ...]:
    """Compare two sentences by words, Chinese ones by characters."""
    return _pieces(_WORD.findall(before), _WORD.findall(after))


def _pieces(ours: Sequence[str], theirs: Sequence[str]) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    for kind, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if kind == "equal":
            pieces.append(Piece("same", "".join(ours[a:b])))
            continue
        if b > a:
            pieces.append(Piece("removed", "".join(ours[a:b])))
        if d > c:
            pieces.append(Piece("added", "".join(theirs[c:d])))
    return tuple(pieces)


def _sentences(text: str) -> list[str]:
    return [text[span.start : span.end] for span in split_sentences(text)]


def _changes(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[Change]:
    head = _common(ours, theirs)
    tail = _common(ours[head:][::-1], theirs[head:][::-1])
    yield from (_same(each) for each in ours[:head])
    yield from _middle(ours[head : len(ours) - tail], theirs[head : len(theirs) - tail])
    yield from (_same(each) for each in ours[len(ours) - tail :])


def _middle(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[Change]:
    if max(len(ours), len(theirs)) > _MOST_SENTENCES or _equal_pairs(ours, theirs) > _MOST_EQUAL_PAIRS:
        yield from (Change(kind="removed", before=each) for each in ours)
        yield from (Change(kind="added", after=each) for each in theirs)
        return
    for kind, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if kind == "equal":
            yield from (_same(each) for each in ours[a:b])
        else:
            yield from (_change(one, other) for one, other in zip_longest(ours[a:b], theirs[c:d]))


def _change(before: str | None, after: str | None) -> Change:
    if before is None:
        return Change(kind="added", after=after)
    if after is None:
        return Change(kind="removed", before=before)
    return Change(kind="changed", before=before, after=after)


def _with_pieces(changes: Iterable[Change]) -> Iterator[Change]:
    """Show inside changed sentences what changed, as long as there is time for it."""
    left = _MOST_WORD_PAIRS
    for change in changes:
        if change.kind != "changed" or change.before is None or change.after is None:
            yield change
            continue
        ours, theirs = _WORD.findall(change.before), _WORD.findall(change.after)
        whole = (Piece("removed", change.before), Piece("added", change.after))
        left -= len(ours) * len(theirs)
        yield replace(change, pieces=_pieces(ours, theirs) if left >= 0 else whole)


def _equal_pairs(ours: Sequence[str], theirs: Sequence[str]) -> int:
    """Count the places at which both say the same, each with each."""
    counted = Counter(theirs)
    return sum(counted[each] for each in ours)


def _same(sentence: str) -> Change:
    return Change(kind="same", before=sentence, after=sentence)


def _common(ours: Sequence[str], theirs: Sequence[str]) -> int:
    """Count the equal sentences at the beginning."""
    pairs = zip(ours, theirs, strict=False)
    return next((place for place, (one, other) in enumerate(pairs) if one != other), min(len(ours), len(theirs)))


def _shortened(changes: Sequence[Change]) -> Iterator[Change]:
    """Keep what changed with its surroundings, and count what lies between."""
    changed = [place for place, change in enumerate(changes) if change.kind != "same"]
    shown = {near for place in changed for near in range(place - _AROUND, place + _AROUND + 1)}
    skipped = 0
    for place, change in enumerate(changes):
        if place not in shown:
            skipped += 1
            continue
        if skipped:
            yield Change(kind="skipped", sentences=skipped)
            skipped = 0
        yield change
    if skipped:
        yield Change(kind="skipped", sentences=skipped)
