"""Open a search up over the staff API of knowledge."""

from datetime import date
from typing import Final

import httpx

from youju.http import Body, parsed

_TEXT: Final = 44
_HEAD: Final = ("", "fused", "evidence", "words", "first", "sentence", "second", "fate", "document", "passage")


class Scores(Body):
    """How a passage was found."""

    bm25_share: float
    cosine: float
    best_sentence: float
    second: float | None
    fused: float
    strength: float


class FoundPassage(Body):
    """A passage and what became of it."""

    rank: int
    document: str
    section: str
    text: str
    scores: Scores
    fates: tuple[str, ...]


class Arm(Body):
    """One arm, and whether this installation may use it."""

    name: str
    built_with: str | None
    is_used: bool
    candidates: tuple[object, ...]


class OpenedSearch(Body):
    """A search with every step."""

    version: int
    as_of: date
    terms: dict[str, float]
    arms: tuple[Arm, ...]
    passages: tuple[FoundPassage, ...]


def open_search(
    client: httpx.Client, question: str, *, version: int | None, as_of: date | None, segments: list[str]
) -> OpenedSearch:
    """Search as a customer with these segments would. Errors: Trouble when knowledge refuses."""
    asked: dict[str, object] = {"question": question, "segments": segments}
    if version is not None:
        asked["version"] = version
    if as_of is not None:
        asked["asOf"] = as_of.isoformat()
    return parsed(client.post("/v1/staff/retrieval", json=asked), OpenedSearch)


def arm_lines(opened: OpenedSearch) -> list[str]:
    """Write one line for each arm that the version has."""
    return [_arm(arm) for arm in opened.arms if arm.built_with is not None]


def search_table(opened: OpenedSearch, *, limit: int) -> list[tuple[str, ...]]:
    """Write one line for each passage, best first."""
    return [_HEAD, *(_line(each) for each in opened.passages[:limit])]


def _arm(arm: Arm) -> str:
    if arm.is_used:
        return f"{arm.name}: {arm.built_with}, {len(arm.candidates)} candidates"
    return f"{arm.name}: {arm.built_with}, left out because something else runs here; import again to use it"


def _line(found: FoundPassage) -> tuple[str, ...]:
    scores = found.scores
    numbers = (scores.fused, scores.strength, scores.bm25_share, scores.cosine, scores.best_sentence, scores.second)
    shown = ("-" if number is None else f"{number:.2f}" for number in numbers)
    text = " ".join(found.text.split())
    return (str(found.rank), *shown, ", ".join(found.fates), found.document, text[:_TEXT])
