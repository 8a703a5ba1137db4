"""Reads a manifest: one JSON object a line, each about one file and the time it was in force."""

from collections.abc import Collection, Iterable
from datetime import date, timedelta
from pathlib import PurePosixPath
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from contracts.faults import reason_of
from contracts.reasons import Language
from knowledge.ingestion.characters import find_control, texts_within

MANIFEST: Final = "manifest.jsonl"


class MalformedRowError(Exception):
    """A line of a manifest makes no sense: which field, and why."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


def _primary(tag: object) -> object:
    """Reduce a language tag to its language: zh-Hant, zh_CN and ZH are zh."""
    return tag.strip().lower().replace("_", "-").split("-", 1)[0] if isinstance(tag, str) else tag


def _storable(text: str) -> str:
    if control := find_control(text):
        raise ValueError(f"it holds the control character {control}")
    return text


def _storable_within(record: dict[str, Any]) -> dict[str, Any]:  # JSON of any shape
    for text in texts_within(record):
        _storable(text)
    return record


def _with_day_before(day: date) -> date:
    if day == date.min:
        raise ValueError("nothing is in force before the first day of the calendar")
    return day


Text = Annotated[str, AfterValidator(_storable)]


class Row(BaseModel):
    """What a manifest line says, as far as an import needs it. `header` adds what else front matter could say."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    doc_id: Text
    version: int
    title: Text
    lang: Annotated[Language, BeforeValidator(_primary)]
    path: str
    valid_from: date | None = None
    valid_to: Annotated[date, AfterValidator(_with_day_before)] | None = None
    effective_date: date | None = None
    header: Annotated[dict[str, Any], AfterValidator(_storable_within)] = Field(default_factory=dict[str, Any])


def read_row(line: str) -> Row:
    """Read one line. Errors: MalformedRowError."""
    try:
        return Row.model_validate_json(line)
    except ValidationError as malformed:
        first = malformed.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "the line"
        raise MalformedRowError(field, reason_of(first)) from malformed


def header_of(row: Row) -> dict[str, object]:
    """Give a row under the keys of front matter; those of its own header hold.

    A text is in force from the later of the two dates on, since a law is often adopted before it takes effect, and
    until the day before the next text begins.
    """
    begins = max((each for each in (row.valid_from, row.effective_date) if each is not None), default=None)
    ends = row.valid_to - timedelta(days=1) if row.valid_to is not None else None
    return {
        "slug": row.doc_id,
        "title": row.title,
        "label": str(row.version),
        "effective_from": begins.isoformat() if begins else None,
        "effective_to": ends.isoformat() if ends else None,
        "language": row.lang,
        **row.header,
    }


def headers_by_path(rows: Iterable[Row], manifest: str, paths: Collection[str]) -> dict[str, dict[str, object]]:
    """Give the headers of the files beside a manifest; its paths begin in its own folder or in the one above it."""
    placed = ((_place(row, manifest, paths), row) for row in rows)
    return {place: header_of(row) for place, row in placed if place is not None}


def missing_rows(rows: Iterable[Row], manifest: str, paths: Collection[str]) -> list[Row]:
    """Give the rows whose file is not there: without it another revision of its document would be in force for too long."""
    return [row for row in rows if _place(row, manifest, paths) is None]


def _place(row: Row, manifest: str, paths: Collection[str]) -> str | None:
    folder = PurePosixPath(manifest).parent
    return next((place for root in (folder, folder.parent) if (place := str(root / row.path)) in paths), None)
