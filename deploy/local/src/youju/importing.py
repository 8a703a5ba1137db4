"""Bring material into knowledge over its staff API."""

import base64
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

import httpx

from contracts.service_token import StaffRole
from youju.addresses import staff_url
from youju.http import Body, checked, parsed, talking
from youju.material import FILES_A_BATCH, LARGEST_FILE_BYTES, Header, Material, SourceFile, in_batches, in_parts
from youju.staff_tokens import StaffAuth
from youju.trouble import Trouble

# The largest file fits; Base64 makes a third more of it, and a request may have 16 MB.
_BATCH_BYTES: Final = LARGEST_FILE_BYTES
_PART_BYTES: Final = 8 * 1024 * 1024
# A small import is over at once; a large one is not hurried by being asked.
_FIRST_POLL_SECONDS: Final = 0.2
_LAST_POLL_SECONDS: Final = 2.0
_SLOWER: Final = 1.3
_STAGED: Final = "STAGED"
_ACTOR: Final = "terminal"


class ImportProblem(Body):
    """One fault in one file."""

    path: str
    field: str | None
    code: str
    sentence: str


class Changes(Body):
    """How many documents of a version differ from what was current."""

    added: int
    changed: int
    removed: int
    unchanged: int


class ImportState(Body):
    """How far an import is. `problems` are the first of `problems_total`."""

    import_id: str
    status: Literal["RECEIVING", "RUNNING", "STAGED", "FAILED", "DISCARDED"]
    files_total: int
    files_done: int
    passages: int
    vectors: int
    seconds_left: int | None = None
    problems: tuple[ImportProblem, ...]
    problems_total: int = 0
    reason: str | None = None
    version: int | None
    changes: Changes | None = None


class _Begun(Body):
    import_id: str


class _Wish(Body):
    routing_policy: str | None
    additive: bool
    faulty: Literal["leave_out", "refuse"]


class _File(Body):
    path: str
    content_base64: str
    header: Header | None


class _Files(Body):
    files: tuple[_File, ...]


@contextmanager
def staff(
    settings: Mapping[str, str], tenant: str, *, roles: Sequence[StaffRole] = ("owner", "publisher")
) -> Generator[httpx.Client]:
    """Open a client with roles of staff, else for import and publication. Errors: Trouble when nothing answers."""
    keys = Path(settings["YOUJU_KEYS_DIRECTORY"])
    auth = StaffAuth(keys, tenant=tenant, actor=_ACTOR, roles=roles)
    with talking(staff_url(settings), auth=auth) as client:
        yield client


def import_material(
    client: httpx.Client,
    material: Material,
    show: Callable[[ImportState], None],
    *,
    additive: bool = False,
    refuse_faulty: bool = False,
) -> ImportState:
    """Send everything, start, and wait for the end; `show` sees every state on the way.

    Faulty files are left out and listed in the last state, those that could not even be sent first.
    Errors: Trouble with one line for each problem when the import failed.
    """
    wish = _Wish(
        routing_policy=material.routing_policy, additive=additive, faulty="refuse" if refuse_faulty else "leave_out"
    )
    begun = parsed(client.post("/v1/staff/imports", json=wish.model_dump(mode="json")), _Begun)
    place = f"/v1/staff/imports/{begun.import_id}"
    unsent: list[ImportProblem] = []
    empty = _send_files(client, place, material, unsent)
    for archive in material.archives:
        for number, part in enumerate(in_parts(archive, limit_bytes=_PART_BYTES)):
            headers = {"Content-Type": "application/octet-stream"}
            query = {"path": archive.name}
            checked(client.put(f"{place}/archives/{number}", params=query, content=part, headers=headers))
    if unsent and refuse_faulty:
        client.delete(place)
        raise Trouble("Nothing is imported, since files are faulty.", details=tuple(map(shown_problem, unsent)))
    checked(client.post(f"{place}/start"))
    state = _end_of(client, place, show)
    # Those that were sent empty knowledge tells as well.
    problems = (*unsent, *(each for each in state.problems if each.path not in empty))
    total = state.problems_total + len(unsent) - len(empty)
    return state.model_copy(update={"problems": problems, "problems_total": total})


def shown_problem(problem: ImportProblem) -> str:
    """Give one line that names file and field."""
    return f"{problem.path}: {problem.field or 'file'}: {problem.sentence}"


def required_version(state: ImportState) -> int:
    """Give the version a finished import made. Errors: Trouble when knowledge named none."""
    if state.version is None:
        raise Trouble("The import is finished, but knowledge names no version for it.")
    return state.version


def _end_of(client: httpx.Client, place: str, show: Callable[[ImportState], None]) -> ImportState:
    wait = _FIRST_POLL_SECONDS
    while True:
        state = parsed(client.get(place), ImportState)
        show(state)
        if state.status == "FAILED":
            lines = tuple(map(shown_problem, state.problems))
            raise Trouble(f"The import failed and nothing of it is kept. {state.reason or ''}".strip(), details=lines)
        if state.status == "DISCARDED":
            raise Trouble(f"The import was discarded. {state.reason or ''}".strip())
        if state.status == _STAGED:
            return state
        time.sleep(wait)
        wait = min(wait * _SLOWER, _LAST_POLL_SECONDS)


def _send_files(client: httpx.Client, place: str, material: Material, unsent: list[ImportProblem]) -> frozenset[str]:
    """Send files, note those that cannot be, and give the paths of those that are sent without their content.

    Knowledge has to hear of a file whose document is known: it leaves the document as it was.
    """
    empty: list[_File] = []

    def refuse(file: SourceFile, reason: str) -> None:
        unsent.append(ImportProblem(path=file.path, field=None, code="UNSENT", sentence=f"It is not sent: {reason}."))
        if file.header is not None:
            empty.append(_as_sent(file, b""))

    for batch in in_batches(material.files, limit_bytes=_BATCH_BYTES, refuse=refuse):
        _send(client, place, [_as_sent(file, content) for file, content in batch])
    for first in range(0, len(empty), FILES_A_BATCH):
        _send(client, place, empty[first : first + FILES_A_BATCH])
    return frozenset(each.path for each in empty)


def _send(client: httpx.Client, place: str, files: Sequence[_File]) -> None:
    checked(client.post(f"{place}/files", json=_Files(files=tuple(files)).model_dump(mode="json")))


def _as_sent(file: SourceFile, content: bytes) -> _File:
    return _File(path=file.path, content_base64=base64.b64encode(content).decode("ascii"), header=file.header)
