"""An import as a job: its steps, its lease, and what each step leaves behind.

UNPACK takes the files out of archives, READ reads and masks them batch by batch, LINK puts the revisions beside each
other and opens a draft version, STORE stores them batch by batch, SPLIT cuts them into passages, COMPARE lists passages that are alike, INDEX weighs and embeds passages
batch by batch, ARM adds the vectors of a second arm, COUNT counts terms slice by slice, HEAT opens large tenants to approximate search, SCALE calibrates, HINT lists sentences
that seem to disagree, STAGE calls the version built. The vectors of sentences follow behind (see `knowledge.tasks.sentences`).
Every step can be repeated: what it writes has keys of its own, and only the holder of the lease moves the job on.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final, Literal
from uuid import UUID

from contracts.errors import YoujuError
from knowledge.ingestion.analyser import ANALYSER
from knowledge.ingestion.embedding import Vector
from knowledge.ingestion.sentences import Span
from knowledge.ingestion.splitting import SPLITTER, PassageDraft

LEASE_SECONDS: Final = 75
MOST_TRIES: Final = 5


# What becomes of an import with faulty files: the rest is imported, or nothing is.
Faulty = Literal["leave_out", "refuse"]


class Step(StrEnum):
    """Where an import stands."""

    UNPACK = "UNPACK"
    READ = "READ"
    LINK = "LINK"
    STORE = "STORE"
    SPLIT = "SPLIT"
    COMPARE = "COMPARE"
    INDEX = "INDEX"
    ARM = "ARM"
    COUNT = "COUNT"
    HEAT = "HEAT"
    SCALE = "SCALE"
    HINT = "HINT"
    STAGE = "STAGE"
    DONE = "DONE"


class LostLeaseError(YoujuError):
    """Another worker has taken this import over."""

    code = "LOST_LEASE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A running import under a lease.

    `version` is None until LINK has made one; `passages` are those cut so far; `slices_done` says how far a step is
    that goes on, in units of its own, and `reached` up to which revision, where it goes by these.
    """

    import_id: UUID
    step: Step
    additive: bool
    faulty: Faulty
    routing_policy: str
    version: int | None
    passages: int
    slices_done: int
    reached: UUID | None
    tries: int
    created_by: str
    lease_token: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What a step has added: files that were read, passages that were cut, passages that can be found."""

    files: int = 0
    passages: int = 0
    vectors: int = 0


NOTHING: Final = Progress()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRevision:
    """A revision that waits to be split."""

    revision_id: UUID
    title: str
    source: str
    page_lines: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CutPassage:
    """A passage as it was cut, with how often each term stands in it by its number, and what it is compared by.

    `form` is the string that is embedded for it.
    """

    draft: PassageDraft
    counts: Mapping[int, int]
    bands: tuple[int, ...]
    form: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingPassage:
    """A passage that waits to be indexed."""

    passage_id: UUID
    title: str
    heading_path: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingSentence:
    """A sentence by its place in the passage's text, with the string that is embedded for it."""

    span: Span
    form: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedSentence:
    """A sentence of a passage, counted from zero, with its vector."""

    passage_id: UUID
    ordinal: int
    span: Span
    vector: Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionSize:
    """How many passages a version holds, and how many of them can serve on or after a day."""

    passages: int
    servable: int
    day: date


def pipeline(embedder: str) -> str:
    """Name everything that turns a source into an index; another name means other passages."""
    return f"{SPLITTER}/{ANALYSER}/{embedder}"


def slices_of(passages: int) -> int:
    """Say in how many slices the terms of so many passages are counted, each well below a minute."""
    return 1 + passages // 5_000


def term_range(slice_number: int, slices: int) -> tuple[int, int]:
    """Give the half of the 64-bit numbers, the third…, that a slice counts: first and last, both inclusive."""
    lowest, highest = -(1 << 63), (1 << 63) - 1
    width = (1 << 64) // slices
    first = lowest + slice_number * width
    return first, highest if slice_number == slices - 1 else first + width - 1
