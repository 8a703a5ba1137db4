"""What a file says about its revision: the keys of its front matter, or of the header that came with it."""

import re
from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from contracts.faults import reason_of
from contracts.reasons import Language
from contracts.service_token import PUBLIC_SEGMENT
from knowledge.ingestion.normal_form import normal_form
from knowledge.ingestion.problems import Problem, ProblemCode

Decision = Literal["rule", "human"]

_CODES: Final = {"missing": ProblemCode.MISSING, "extra_forbidden": ProblemCode.UNKNOWN_FIELD}
_ADDRESS: Final = re.compile(r"https://[^\s/@?#\\]+(?:[/?#]\S*)?")
_LIST: Final = "write a list, such as [one, another]"
_PATTERNS: Final = {
    "slug": "write up to 200 characters without blanks, ?, #, % and \\, the first of which is no /",
    "audience": "a segment has up to 64 characters and neither blanks nor commas",
    "requires_facts": "a fact is named with up to 64 letters, digits and _, a letter first",
}


def _day(value: object) -> object:
    """Read a day strictly: a date-time or a number is no business day."""
    if not isinstance(value, str):
        return value
    try:
        return date.fromisoformat(value.strip())
    except ValueError:
        raise ValueError(f"{value.strip()!r} is not a day of the calendar (write 2026-07-01)") from None


def _https(value: object) -> object:
    """Let nothing but https be opened from a citation, and no host that hides behind a name of a user."""
    if isinstance(value, str) and not _ADDRESS.fullmatch(value.strip()):
        raise ValueError("only an address that begins with https:// and the name of a host is taken")
    return value


def _composed(value: object) -> object:
    """Compose characters: a file system or an editor may write é as two, and both are one name."""
    return normal_form(value) if isinstance(value, str) else value


# What is composed first stands last: the description of an API tells only the bounds that stand right behind the type.
Slug = Annotated[
    str, StringConstraints(strip_whitespace=True, pattern=r"^[^\s/?#%\\][^\s?#%\\]{0,199}$"), BeforeValidator(_composed)
]
Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]
Label = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=64), BeforeValidator(_composed)
]
Segment = Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"^[^\s,]{1,64}$")]
FactName = Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$")]
Address = Annotated[
    str,
    BeforeValidator(_https),
    StringConstraints(strip_whitespace=True, max_length=2_000),
]
Day = Annotated[date, BeforeValidator(_day)]


class Header(BaseModel):
    """One revision's record. Only `slug`, `label` and `language` must be given."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    slug: Slug
    label: Label
    language: Language
    title: Line | None = None
    owner: Line | None = None
    area: Line | None = None
    audience: Annotated[tuple[Segment, ...], Field(min_length=1)] = (PUBLIC_SEGMENT,)
    tags: tuple[Line, ...] = ()
    priority: Annotated[int, Field(ge=-100, le=100)] = 0
    review_date: Day | None = None
    effective_from: Day | None = None
    effective_to: Day | None = None
    superseded_by: Label | None = None
    applies_to: Line | None = None
    requires_facts: tuple[FactName, ...] = ()
    decision: Decision = "rule"
    public: bool = False
    source_url: Address | None = None

    @model_validator(mode="before")
    @classmethod
    def _drop_empty(cls, given: dict[str, Any]) -> dict[str, Any]:  # values as they were read
        """Take `key:` without a value as not given."""
        return {key: value for key, value in given.items() if value not in ("", None)}


def read_header(path: str, given: Mapping[str, object]) -> Header | tuple[Problem, ...]:
    """Check the keys of one file; give the header, or one problem for every faulty field."""
    try:
        header = Header.model_validate(dict(given))
    except ValidationError as invalid:
        return tuple(_problem(path, error) for error in invalid.errors())
    if header.effective_from and header.effective_to and header.effective_from > header.effective_to:
        sentence = f"effective_to ({header.effective_to}) lies before effective_from ({header.effective_from})."
        return (Problem(path, "effective_to", ProblemCode.IMPOSSIBLE_DATES, sentence),)
    return header


def _problem(path: str, error: Any) -> Problem:  # pydantic's ErrorDetails is a loose TypedDict
    field = ".".join(str(step) for step in error["loc"]) or "front matter"
    code = _CODES.get(error["type"], ProblemCode.INVALID)
    sentence = {
        ProblemCode.MISSING: f"{field} is missing.",
        ProblemCode.UNKNOWN_FIELD: f"{field} is not a key we know; see docs/importing.md.",
    }.get(code, f"{field} is not valid: {_reason(error)}.")
    return Problem(path, field, code, sentence)


def _reason(error: Any) -> str:  # as above
    if error["type"] == "tuple_type":
        return _LIST
    if error["type"] == "too_short":
        return "name one at least"
    if error["type"] == "string_pattern_mismatch":
        return _PATTERNS.get(str(error["loc"][0]), str(error["msg"]))
    return reason_of(error)
