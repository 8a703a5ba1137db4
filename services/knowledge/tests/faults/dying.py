"""Tamper with a worker of knowledge from inside: it dies at a step of an import, and its embedder has no weights."""

import os
import signal
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final, Literal

from knowledge import worker
from knowledge.ingestion import store as index_store
from knowledge.ingestion.jobs import Job, Step
from knowledge.tasks import counting, imports, reading
from knowledge.tasks.building import advance_import
from knowledge.versions.store import drafts
from tests.support.knowledge import WordEmbedder

Side = Literal["before", "after"]

# Steps are small, and even a few passages are searched approximately.
SMALL: Final[tuple[tuple[ModuleType, str, int], ...]] = (
    (reading, "_FILES_A_STEP", 3),
    (reading, "_DRAFTS_A_STEP", 3),
    (counting, "EXACT_SCAN_LIMIT", 0),
)


@dataclass(frozen=True, slots=True)
class Small:
    """A worker for small imports."""

    def apply(self) -> None:
        """Tamper with this process."""
        setattr(worker, "UseEmbedder", WordEmbedder)  # noqa: B010 - a name that nobody else assigns to
        for module, name, value in SMALL:
            setattr(module, name, value)


@dataclass(frozen=True, slots=True)
class Dying:
    """A worker that kills itself when a step has done its work, right before its commit or right after it."""

    step: Step
    side: Side

    def apply(self) -> None:
        """Tamper with this process."""
        Small().apply()
        taken: list[Step] = []
        for module, name in ((index_store, "hand_on"), (drafts, "stage")):
            setattr(module, name, self._watched(getattr(module, name), taken))

        def advanced(*args: Any, **named: Any) -> bool:  # as the product calls it
            more = advance_import(*args, **named)
            if taken[-1:] == [self.step]:
                _die()
            return more

        setattr(imports, "advance_import", advanced)  # noqa: B010 - as above

    def _watched(self, ending: Any, taken: list[Step]) -> Any:  # a function of a store, which ends a step
        def watched(connection: object, job: Job, **named: object) -> None:
            ending(connection, job, **named)
            taken.append(job.step)
            if (job.step, "before") == (self.step, self.side):
                _die()

        return watched


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
