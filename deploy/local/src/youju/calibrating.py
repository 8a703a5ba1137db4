"""Read labelled questions and have knowledge calibrate its evidence with them."""

from pathlib import Path

import httpx
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from contracts.faults import reason_of
from youju.http import Body, parsed
from youju.material import read_text
from youju.trouble import Trouble

_ANSWER = "answer"
# A hundred searches take some seconds.
_SECONDS = 300.0


class Labelled(BaseModel):
    """A question and whether the policies answer it: said outright, or by the routes of a golden question."""

    model_config = ConfigDict(extra="ignore")

    question: str
    answerable: bool | None = None
    acceptable_routes: tuple[str, ...] | None = None

    @model_validator(mode="after")
    def _is_labelled(self) -> "Labelled":
        if self.answerable is None and self.acceptable_routes is None:
            raise ValueError("neither answerable nor acceptable_routes")
        return self

    @property
    def label(self) -> bool | None:
        """Tell whether the policies answer it; None where both would do or a route decides."""
        if self.answerable is not None:
            return self.answerable
        routes = set(self.acceptable_routes or ())
        if routes == {_ANSWER}:
            return True
        return False if routes == {"refuse:NO_AUTHORIZED_EVIDENCE"} else None


class Bin(Body):
    """Questions whose chance of an answer was said to be about the same."""

    lowest: float
    highest: float
    questions: int
    said: float
    was: float


class Calibrated(Body):
    """The staged version and what it would change."""

    version: int
    calibrated_from: int
    words: float
    meaning: float
    refuse_below: float
    answer_from: float
    reliability: tuple[Bin, ...]
    answered_before: float
    answered_after: float
    wrong_before: float
    wrong_after: float
    needless_before: float
    needless_after: float


def read_labelled(file: Path) -> list[dict[str, object]]:
    """Read questions with a label; those without a clear one are left out. Errors: Trouble naming the line."""
    found: list[dict[str, object]] = []
    for number, line in enumerate(read_text(file).splitlines(), 1):
        if not line.strip():
            continue
        try:
            labelled = Labelled.model_validate_json(line)
        except ValidationError as malformed:
            told = reason_of(malformed.errors()[0])
            raise Trouble(f"{file.name} line {number}: {told}.") from malformed
        if labelled.label is not None:
            found.append({"question": labelled.question, "answerable": labelled.label})
    return found


def calibrate(client: httpx.Client, questions: list[dict[str, object]], *, most_wrong: float) -> Calibrated:
    """Calibrate and stage a version. Errors: Trouble when there are too few labels."""
    asked = {"questions": questions, "mostWrong": most_wrong}
    return parsed(client.post("/v1/staff/calibrations", json=asked, timeout=_SECONDS), Calibrated)
