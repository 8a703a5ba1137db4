"""The staff's imports: open one, send files, start it, watch it."""

import base64
import binascii
import json
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Body, Depends, Path, Query
from pydantic import Field

from contracts.errors import InvalidRequestError
from contracts.ids import MalformedIdError, parsed, printed
from contracts.model import Outgoing
from knowledge.api.dependencies import Staff, WithResources, acting, staff_with
from knowledge.api.parameters import ImportPath
from knowledge.api.problems import PROBLEMS
from knowledge.ingestion.archives import is_archive
from knowledge.ingestion.characters import find_control, texts_within
from knowledge.ingestion.importing import SourceFile
from knowledge.ingestion.problems import Problem
from knowledge.versions.acts import import_subject
from knowledge.versions.drafting import ImportNotFoundError, ImportProgress
from knowledge.versions.routing_policy import default_routing_policy, parse_routing_policy
from knowledge.versions.store.audit import record_act
from knowledge.versions.store.imports import (
    add_files,
    add_part,
    create_import,
    current_routing_policy,
    discard_import,
    import_progress,
    list_problems,
    start_import,
)
from runtime.paging import PageSize

router = APIRouter(prefix="/v1/staff/imports", tags=["imports"], responses=PROBLEMS)

Owner = Annotated[Staff, Depends(staff_with("owner"))]


class ImportRequest(Outgoing):
    """An import describes the tenant's whole set, unless it is additive.

    An additive one builds on the version that is current when its files are linked. Without a routing policy the
    current one stays; before the first publication it is the default. `faulty` says what becomes of the rest when a
    file is faulty: it is imported without the file, or nothing is.
    """

    routing_policy: str | None = Field(default=None, max_length=500_000, description="YAML")
    additive: bool = False
    faulty: Literal["leave_out", "refuse"] = "leave_out"


class ImportOpened(Outgoing):
    """An import that waits for files."""

    import_id: str


class FileUpload(Outgoing):
    """A file, or a small archive of files. `header` takes the place of the front matter, with the same keys."""

    path: str = Field(min_length=1, max_length=500)
    content_base64: str
    header: dict[str, object] | None = None


class FilesUpload(Outgoing):
    """Some of the files of an import; a path that came before is replaced."""

    files: tuple[FileUpload, ...] = Field(min_length=1, max_length=500)


class ProblemView(Outgoing):
    """What is wrong with a file, so that it was left out or stopped the import."""

    path: str
    field: str
    code: str
    sentence: str


class ChangesView(Outgoing):
    """How many documents of the version differ from what was current when it was built."""

    added: int
    changed: int
    removed: int
    unchanged: int


class ImportView(Outgoing):
    """How far an import is.

    `filesDone` were read, `passages` were cut of them, `vectors` of these can be found. `secondsLeft` goes by the pace
    of the present step and is null when that is unknown. `problems` are the first of `problemsTotal`.
    """

    import_id: str
    status: Literal["RECEIVING", "RUNNING", "STAGED", "FAILED", "DISCARDED"]
    step: str
    files_total: int
    files_done: int
    passages: int
    vectors: int
    seconds_left: int | None
    problems: tuple[ProblemView, ...]
    problems_total: int
    reason: str | None
    version: int | None
    changes: ChangesView | None


class ProblemPage(Outgoing):
    """A page of problems in the order they were found."""

    items: tuple[ProblemView, ...]
    next_cursor: str | None


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
            faulty=request.faulty,
        )
        await record_act(connection, acting(staff), "IMPORT_OPENED", subject=import_subject(import_id))
    return ImportOpened(import_id=printed("job", import_id))


@router.post("/{import_id}/files", summary="Send files")
async def post_files(import_id: ImportPath, upload: FilesUpload, staff: Owner, held: WithResources) -> ImportView:
    """Add files to an import that has not been started."""
    files = [_file(each) for each in upload.files]
    async with held.database.transaction(staff.claims.tenant) as connection:
        await add_files(connection, tenant=staff.claims.tenant, import_id=_id(import_id), files=files, ring=held.ring)
        return _view(await import_progress(connection, _id(import_id)))


@router.put("/{import_id}/archives/{number}", summary="Send a part of an archive")
async def put_part(  # noqa: PLR0913, PLR0917 - FastAPI reads every argument by its name
    import_id: ImportPath,
    number: Annotated[
        int,
        Path(ge=0, le=1_000, description="Which part this is: they are counted from 0 and come in order", examples=[0]),
    ],
    path: Annotated[
        str,
        Query(
            min_length=1,
            max_length=500,
            description="The name of the archive, which says its kind: .zip, .tar, .tar.gz or .tgz",
            examples=["policies.zip"],
        ),
    ],
    content: Annotated[bytes, Body(media_type="application/octet-stream")],
    staff: Owner,
    held: WithResources,
) -> ImportView:
    """Add bytes to an archive of an import that has not been started; part 0 begins it anew.

    Its files are taken out when the import runs; a `manifest.jsonl` among them gives them their headers.
    """
    if not is_archive(path) or find_control(path):
        raise InvalidRequestError(f"{path!r} is not the name of a .zip, .tar, .tar.gz or .tgz.")
    async with held.database.transaction(staff.claims.tenant) as connection:
        await add_part(
            connection,
            tenant=staff.claims.tenant,
            import_id=_id(import_id),
            path=path,
            number=number,
            content=content,
            ring=held.ring,
        )
        return _view(await import_progress(connection, _id(import_id)))


@router.post("/{import_id}/start", status_code=202, summary="Start an import")
async def post_start(import_id: ImportPath, staff: Owner, held: WithResources) -> ImportView:
    """Set the import going. A repeat starts nothing twice."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        if await start_import(connection, _id(import_id)):
            await record_act(connection, acting(staff), "IMPORT_STARTED", subject=import_subject(_id(import_id)))
        view = _view(await import_progress(connection, _id(import_id)))
    await held.enqueue(tenant=staff.claims.tenant, import_id=str(_id(import_id)))
    return view


@router.get("/{import_id}", summary="Watch an import")
async def get_import(import_id: ImportPath, staff: Owner, held: WithResources) -> ImportView:
    """Say how far the import is, and what is wrong with its files."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        return _view(await import_progress(connection, _id(import_id)))


@router.get("/{import_id}/problems", summary="List what is wrong with the files")
async def get_problems(
    import_id: ImportPath,
    staff: Owner,
    held: WithResources,
    cursor: Annotated[
        int | None,
        Query(
            ge=1,
            le=9_223_372_036_854_775_807,
            description="The `nextCursor` of the page before; leave it out for the first page",
            examples=[100],
        ),
    ] = None,
    limit: PageSize = 100,
) -> ProblemPage:
    """List the problems of an import, in the order they were found."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        await import_progress(connection, _id(import_id))
        found = await list_problems(connection, _id(import_id), after=cursor or 0, limit=limit + 1)
    items = tuple(_problem_view(problem) for _, problem in found[:limit])
    return ProblemPage(items=items, next_cursor=str(found[limit - 1][0]) if len(found) > limit else None)


@router.delete("/{import_id}", summary="Discard an import")
async def delete_import(import_id: ImportPath, staff: Owner, held: WithResources) -> ImportView:
    """End an import that waits or runs; nothing of it stays. A repeat changes nothing."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        if await discard_import(connection, _id(import_id), reason=f"It was discarded by {staff.claims.actor}."):
            await record_act(connection, acting(staff), "IMPORT_DISCARDED", subject=import_subject(_id(import_id)))
        return _view(await import_progress(connection, _id(import_id)))


def _id(text: str) -> UUID:
    try:
        return parsed("job", text)
    except MalformedIdError as malformed:
        raise ImportNotFoundError from malformed


def _file(upload: FileUpload) -> SourceFile:
    for text in (upload.path, *texts_within(upload.header)):
        if control := find_control(text):
            raise InvalidRequestError(f"Path or header of {upload.path!r} holds the control character {control}.")
    try:
        json.dumps(upload.header, allow_nan=False)
    except ValueError as endless:
        raise InvalidRequestError(f"The header of {upload.path!r} holds a number that is none.") from endless
    try:
        content = base64.b64decode(upload.content_base64, validate=True)
    except (binascii.Error, ValueError) as malformed:
        raise InvalidRequestError(f"contentBase64 of {upload.path} is not base64.") from malformed
    return SourceFile(path=upload.path, content=content, header=upload.header)


def _problem_view(problem: Problem) -> ProblemView:
    return ProblemView.model_validate(problem, from_attributes=True)


def _view(progress: ImportProgress) -> ImportView:
    changes = progress.changes
    return ImportView(
        import_id=printed("job", progress.import_id),
        status=progress.state,
        step=progress.step,
        files_total=progress.files_total,
        files_done=progress.files_done,
        passages=progress.passages,
        vectors=progress.vectors,
        seconds_left=progress.seconds_left,
        problems=tuple(_problem_view(each) for each in progress.problems),
        problems_total=progress.problems_total,
        reason=progress.reason,
        version=progress.version,
        changes=None if changes is None else ChangesView.model_validate(changes, from_attributes=True),
    )
