"""What a scripted second model says of an answer: it agrees, disagrees, talks nonsense or stays silent."""

import json
from collections.abc import Callable
from typing import Any, Final

Checks = Callable[[dict[str, Any]], str | None]
"""Gives the reply to a document of claims; None stays silent until the server is let go."""


def agree(document: dict[str, Any]) -> str:  # JSON, here and below
    """Support every claim."""
    return _judged([(True, "quoted word for word") for _ in document["claims"]])


def disagree(document: dict[str, Any]) -> str:
    """Doubt the first claim."""
    return _judged(
        [(at > 0, "says more than its quotes" if at == 0 else "") for at, _ in enumerate(document["claims"])]
    )


def agree_in_a_fence(document: dict[str, Any]) -> str:
    """Support every claim, in a code block as models like to."""
    return f"```json\n{agree(document)}\n```"


def garbage(document: dict[str, Any]) -> str:
    """Chat instead of judging."""
    return f"Sure! All {len(document['claims'])} claims look good to me."


def too_few(document: dict[str, Any]) -> str:
    """Leave a claim out."""
    return _judged([(True, "") for _ in document["claims"][1:]])


def slow(_document: dict[str, Any]) -> None:
    """Stay silent."""


CHECKS: Final[dict[str, Checks]] = {
    "judge agrees": agree,
    "judge disagrees": disagree,
    "judge agrees in a fence": agree_in_a_fence,
    "judge talks nonsense": garbage,
    "judge leaves a claim out": too_few,
    "judge is slow": slow,
}


def _judged(claims: list[tuple[bool, str]]) -> str:
    said = [
        {"claim": number, "supported": supported, "reason": reason}
        for number, (supported, reason) in enumerate(claims, start=1)
    ]
    return json.dumps({"claims": said})
