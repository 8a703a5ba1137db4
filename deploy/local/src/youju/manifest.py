"""Read a manifest: one JSON object a line, each about one file and the time it was in force."""

from datetime import date, timedelta
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from youju.material import Header, Material, SourceFile, is_policy, read_text
from youju.trouble import Trouble


class Row(BaseModel):
    """What a manifest line says, as far as an import needs it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    doc_id: str
    version: int
    title: str
    lang: str
    path: str
    valid_from: date | None = None
    valid_to: date | None = None
    effective_date: date | None = None


def gather_manifest(file: Path, *, only: str | None = None) -> Material:
    """Take the rows of a manifest, or those whose document id begins with `only`.

    Paths in a manifest are relative to the folder above the manifest's own.
    Errors: Trouble naming line and field.
    """
    wanted = [row for row in rows_of(file) if only is None or row.doc_id.startswith(only)]
    if not wanted:
        raise Trouble(f"{file} has no row whose document id begins with {only!r}.")
    taken = [row for row in wanted if is_policy(Path(row.path))]
    root = file.resolve().parent.parent
    files = tuple(SourceFile(path=row.path, place=root / row.path, header=header_of(row)) for row in taken)
    return Material(files=files, left_out=len(wanted) - len(taken))


def rows_of(file: Path) -> tuple[Row, ...]:
    """Read every row of a manifest.

    Errors: Trouble naming line and field.
    """
    lines = enumerate(read_text(file).splitlines(), 1)
    return tuple(_row(file, number, line) for number, line in lines if line.strip())


def header_of(row: Row) -> Header:
    """Say when a row's text is in force.

    It begins on the later of the two dates, since a law is often adopted before it takes effect, and ends on the day
    before the next text begins.
    """
    begins = [each for each in (row.valid_from, row.effective_date) if each is not None]
    return Header(
        slug=row.doc_id,
        title=row.title,
        label=str(row.version),
        effective_from=max(begins, default=None),
        effective_to=row.valid_to - timedelta(days=1) if row.valid_to is not None else None,
        language=row.lang,
    )


def _row(file: Path, number: int, line: str) -> Row:
    try:
        return Row.model_validate_json(line)
    except ValidationError as malformed:
        first = malformed.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "the line"
        raise Trouble(f"{file.name} line {number}: {field}: {first['msg']}.") from malformed
