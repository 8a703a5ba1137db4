"""What a draft version is made of, and what an import looks like to the staff who started it."""

from dataclasses import dataclass
from typing import Final, Literal
from uuid import UUID

from contracts.errors import ConflictError, InvalidRequestError, NotFoundError
from knowledge.ingestion.jobs import Job
from knowledge.ingestion.problems import Problem
from knowledge.versions.calibration import Calibration

ImportState = Literal["RECEIVING", "RUNNING", "STAGED", "FAILED"]


# All files of an import are read and masked in one step, which has to end well within its lease of 75 seconds;
# ten megabytes take about ten on a busy machine.
LARGEST_IMPORT_BYTES: Final = 32_000_000


class ImportNotFoundError(NotFoundError):
    """There is no such import."""


class ImportStartedError(ConflictError):
    """This import has been started already, so it takes no more files."""

    code = "IMPORT_STARTED"


class ImportTooLargeError(InvalidRequestError):
    """An import holds 32 MB of files at most; send the rest as another, additive import."""

    code = "IMPORT_TOO_LARGE"


class ImportRunningError(ConflictError):
    """Another import of this tenant is running; wait until it has ended."""

    code = "IMPORT_RUNNING"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportProgress:
    """How far an import is. `files_done` counts files that were read and whose passages can all be found."""

    import_id: UUID
    state: ImportState
    files_total: int
    files_done: int
    passages: int
    vectors: int
    problems: tuple[Problem, ...]
    reason: str | None
    version: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """What a version is indexed with."""

    name: str
    analyser: str
    embedder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """A version that is built: its size and its scale."""

    job: Job
    passages: int
    servable: int
    hot: bool
    calibration: Calibration
