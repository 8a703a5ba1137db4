"""The staff's imports: open one, send files, start it, watch it."""

import base64
import binascii
from collections.abc import Iterator
from typing import Annotated, Literal, cast
from uuid import UUID

from fastapi import APIRouter, Depends
from pydantic import Field

from contracts.errors import InvalidRequestError
from contracts.ids import MalformedIdError, parsed, printed
from contracts.model import Outgoing
from knowledge.api.dependencies import PROBLEMS, Staff, WithResources, staff_with
from knowledge.ingestion.characters import find_control
from knowledge.ingestion.importing import SourceFile
from knowledge.versions.drafting import ImportNotFoundError, ImportProgress
from knowledge.versions.routing_policy import default_routing_policy, parse_routing_policy
from knowledge.versions.store.imports import (
    add_files,
    create_import,
    current_routing_policy,
    import_progress,
    start_import,
)

router = APIRouter(prefix="/v1/staff/imports", tags=["imports"], responses=PROBLEMS)

Owner = Annotated[Staff, Depends(staff_with("owner"))]


class ImportRequest(Outgoing):
    """An import describes the tenant's whole set, unless it is additive.

    Without a routing policy the current one stays; before the first publication it is the default.
    """

    routing_policy: str | None = Field(default=None, max_length=500_000, description="YAML")
    additive: bool = False


class ImportOpened(Outgoing):
    """An import that waits for files."""

    import_id: str


class FileUpload(Outgoing):
    """A file. `header` takes the place of the front matter, with the same keys."""

    path: str = Field(min_length=1, max_length=500)
    content_base64: str
    header: dict[str, object] | None = None


class FilesUpload(Outgoing):
    """Some of the files of an import; a path that came before is replaced."""

    files: tuple[FileUpload, ...] = Field(min_length=1, max_length=500)


class ProblemView(Outgoing):
    """What is wrong with a file: any problem stops the whole import."""

    path: str
    field: str
    code: str
    sentence: str


class ImportView(Outgoing):
    """How far an import is."""

    import_id: str
    status: Literal["RECEIVING", "RUNNING", "STAGED", "FAILED"]
    files_total: int
    files_done: int
    passages: int
    vectors: int
    problems: tuple[ProblemView, ...]
    reason: str | None
    version: int | None


@router.post("", status_code=201, summary="Open an import")
async def post_import(request: ImportRequest, staff: Owner, held: WithResources) -> ImportOpened:
    """Open an import that waits for files; a routing policy is checked at once."""
    if request.routing_policy is not None:
        parse_routing_policy(request.routing_policy)
    import_id = held.new_id()
    async with held.database.transaction(staff.claims.tenant) as connection:
        kept = await current_routing_policy(connection)
        await create_import(
            connection,
            tenant=staff.claims.tenant,
            import_id=import_id,
            routing_policy=request.routing_policy or kept or default_routing_policy(),
            additive=request.additive,
            actor=staff.claims.actor,
        )
    return ImportOpened(import_id=printed("job", import_id))


@router.post("/{import_id}/files", summary="Send files")
async def post_files(import_id: str, upload: FilesUpload, staff: Owner, held: WithResources) -> ImportView:
    """Add files to an import that has not been started."""
    files = [_file(each) for each in upload.files]
    async with held.database.transaction(staff.claims.tenant) as connection:
        await add_files(connection, tenant=staff.claims.tenant, import_id=_id(import_id), files=files)
        return _view(await import_progress(connection, _id(import_id)))


@router.post("/{import_id}/start", status_code=202, summary="Start an import")
async def post_start(import_id: str, staff: Owner, held: WithResources) -> ImportView:
    """Set the import going. A repeat starts nothing twice."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        await start_import(connection, _id(import_id))
        view = _view(await import_progress(connection, _id(import_id)))
    await held.enqueue(tenant=staff.claims.tenant, import_id=str(_id(import_id)))
    return view


@router.get("/{import_id}", summary="Watch an import")
async def get_import(import_id: str, staff: Owner, held: WithResources) -> ImportView:
    """Say how far the import is, and what is wrong with its files."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        return _view(await import_progress(connection, _id(import_id)))


def _id(text: str) -> UUID:
    try:
        return parsed("job", text)
    except MalformedIdError as malformed:
        raise ImportNotFoundError from malformed


def _file(upload: FileUpload) -> SourceFile:
    for text in (upload.path, *_texts(upload.header)):
        if control := find_control(text):
            raise InvalidRequestError(f"Path or header of {upload.path!r} holds the control character {control}.")
    try:
        content = base64.b64decode(upload.content_base64, validate=True)
    except (binascii.Error, ValueError) as malformed:
        raise InvalidRequestError(f"contentBase64 of {upload.path} is not base64.") from malformed
    return SourceFile(path=upload.path, content=content, header=upload.header)


def _texts(value: object) -> Iterator[str]:
    """Give every text of a header, keys included."""
    if isinstance(value, dict):
        for key, held in cast("dict[str, object]", value).items():
            yield from (key, *_texts(held))
    elif isinstance(value, list):
        for held in cast("list[object]", value):
            yield from _texts(held)
    elif isinstance(value, str):
        yield value


def _view(progress: ImportProgress) -> ImportView:
    return ImportView(
        import_id=printed("job", progress.import_id),
        status=progress.state,
        files_total=progress.files_total,
        files_done=progress.files_done,
        passages=progress.passages,
        vectors=progress.vectors,
        problems=tuple(ProblemView.model_validate(each, from_attributes=True) for each in progress.problems),
        reason=progress.reason,
        version=progress.version,
    )
