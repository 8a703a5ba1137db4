"""What a draft version is made of, and what an import looks like to the staff who started it."""

from dataclasses import dataclass
from typing import Final, Literal
from uuid import UUID

from contracts.errors import ConflictError, InvalidRequestError, NotFoundError
from knowledge.ingestion.jobs import Step
from knowledge.ingestion.problems import Problem
from knowledge.versions.calibration import Calibration

ImportState = Literal["RECEIVING", "RUNNING", "STAGED", "FAILED", "DISCARDED"]

# Files are read in bounded batches and forgotten one by one, so that only the disk of the database bounds an import.
LARGEST_IMPORT_BYTES: Final = 1_000_000_000
# A worker spools an archive at every step that takes files out of it.
LARGEST_ARCHIVE_BYTES: Final = 200_000_000
# A problem list that nobody reads to its end is read in pages.
FIRST_PROBLEMS: Final = 100


class ImportNotFoundError(NotFoundError):
    """There is no such import."""


class ImportStartedError(ConflictError):
    """This import has been started already, so it takes no more files."""

    code = "IMPORT_STARTED"


class ImportTooLargeError(InvalidRequestError):
    """An import holds 1 GB at most, an archive 200 MB; send the rest as another, additive import."""

    code = "IMPORT_TOO_LARGE"


class ImportRunningError(ConflictError):
    """Another import of this tenant is running; wait until it has ended."""

    code = "IMPORT_RUNNING"


class MissingPartError(ConflictError):
    """The parts of an archive come in order, counted from zero."""

    code = "MISSING_PART"


class ImportEndedError(ConflictError):
    """This import has ended; a version that it staged is discarded by itself."""

    code = "IMPORT_ENDED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """How many documents of a version differ from what was current when it was built."""

    added: int
    changed: int
    removed: int
    unchanged: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportProgress:
    """How far an import is. `problems` are the first of `problems_total`; `seconds_left` is None when unknown."""

    import_id: UUID
    state: ImportState
    step: Step
    files_total: int
    files_done: int
    passages: int
    vectors: int
    seconds_left: int | None
    problems: tuple[Problem, ...]
    problems_total: int
    reason: str | None
    version: int | None
    changes: Changes | None


def seconds_left(*, elapsed_seconds: float, done: int, left: int) -> int | None:
    """Estimate how long a step still takes at its own pace; None before it has done anything."""
    if done <= 0:
        return None
    return round(elapsed_seconds / done * max(left, 0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """What a version is indexed with."""

    name: str
    analyser: str
    embedder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaled:
    """The size of a version and its scale."""

    passages: int
    servable: int
    hot: bool
    calibration: Calibration
