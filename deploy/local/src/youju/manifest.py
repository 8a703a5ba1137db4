"""Take the files a manifest names, each with the header that its line says."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from contracts.faults import reason_of
from knowledge.ingestion import manifest
from knowledge.ingestion.manifest import MalformedRowError, Row, read_row
from youju.material import Header, Material, SourceFile, is_policy, read_text
from youju.trouble import Trouble


def gather_manifest(file: Path, *, only: str | None = None) -> Material:
    """Take the rows of a manifest, or those whose document id begins with `only`.

    Paths in a manifest begin in its own folder or in the one above it.
    Errors: Trouble naming line and field.
    """
    wanted = [row for row in rows_of(file) if only is None or row.doc_id.startswith(only)]
    if not wanted:
        raise Trouble(f"{file} has no row whose document id begins with {only!r}.")
    taken = [row for row in wanted if is_policy(Path(row.path))]
    folder = file.resolve().parent
    files = tuple(SourceFile(path=row.path, place=_place(folder, row), header=header_of(row)) for row in taken)
    return Material(files=files, left_out=len(wanted) - len(taken))


def with_manifest(material: Material, folder: Path) -> Material:
    """Give the files of a folder the headers that a manifest in it has for them; the others say their own.

    Files that it names and that are not there are listed too, so that they are told.

    Errors: Trouble naming line and field.
    """
    file = folder / manifest.MANIFEST
    if not file.exists():
        return material
    # Under the name of the folder, since paths may begin above it.
    name = folder.resolve().name
    paths = {f"{name}/{each.path}" for each in material.files}
    rows, place = rows_of(file), f"{name}/{manifest.MANIFEST}"
    headers = manifest.headers_by_path(rows, place, paths)
    told = {path: _checked(path, header) for path, header in headers.items()}
    files = tuple(replace(each, header=told.get(f"{name}/{each.path}")) for each in material.files)
    missing = (row for row in manifest.missing_rows(rows, place, paths) if is_policy(Path(row.path)))
    absent = tuple(SourceFile(path=row.path, place=folder / row.path, header=header_of(row)) for row in missing)
    return replace(material, files=(*files, *absent))


def rows_of(file: Path) -> tuple[Row, ...]:
    """Read every row of a manifest.

    Errors: Trouble naming line and field.
    """
    lines = enumerate(read_text(file).splitlines(), 1)
    return tuple(_row(file, number, line) for number, line in lines if line.strip())


def header_of(row: Row) -> Header:
    """Give a row under the keys of front matter. Errors: Trouble naming file and field."""
    return _checked(row.path, manifest.header_of(row))


def _checked(path: str, header: Mapping[str, object]) -> Header:
    try:
        return Header.model_validate(header)
    except ValidationError as malformed:
        first = malformed.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise Trouble(f"What the manifest says of {path} makes no sense: {field}: {reason_of(first)}.") from malformed


def _place(folder: Path, row: Row) -> Path:
    beside = folder / row.path
    return beside if beside.exists() else folder.parent / row.path


def _row(file: Path, number: int, line: str) -> Row:
    try:
        return read_row(line)
    except MalformedRowError as malformed:
        raise Trouble(f"{file.name} line {number}: {malformed}.") from malformed
