"""What the scripted model says when it is asked whether doubtful claims follow from their quotes."""

import json
from collections.abc import Callable
from typing import Any, Final

Document = dict[str, Any]  # JSON


def _said(document: Document, *, but_last: bool = True) -> str:
    answers = [True for _ in document["claims"]]
    return json.dumps({"supported": [*answers[:-1], but_last]})


OPINIONS: Final[dict[str, Callable[[Document], str]]] = {
    "judge that agrees": _said,
    "judge that disagrees": lambda document: _said(document, but_last=False),
    "judge that forgets one": lambda document: json.dumps({"supported": [True for _ in document["claims"][1:]]}),
    "judge that explains": lambda document: f"They do. {_said(document)}",
    "judge that guesses words": lambda document: json.dumps({"supported": ["yes" for _ in document["claims"]]}),
    "judge that says nothing": lambda _: "",
    "judge that never ends": lambda _: "true " * 2_000,
    "slow judge": _said,
}
"""Replies to a document of claims, by behaviour."""
