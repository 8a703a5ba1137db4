"""Search as answering sees it: what may be asked, what comes back, and how two arms become one order."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Protocol
from uuid import UUID

from contracts.errors import NotFoundError, UnavailableError
from contracts.reasons import RefusalCause
from knowledge.retrieval.passage import Candidate, Passage, PolicyContext
from knowledge.versions.calibration import Calibration
from knowledge.versions.routing_policy import RoutingPolicy

# Up to so many passages every vector is compared, beyond it an approximate index is asked. Source: retrieval.md 10.4.
EXACT_SCAN_LIMIT: Final = 20_000

_NARROWEST: Final = 400
_WIDEST: Final = 1_000  # pgvector's own bound
_PASSAGES_EACH: Final = 125
_PASSAGES_EACH_OF_SECOND: Final = 200


class NoPublishedVersionError(NotFoundError):
    """This tenant has published no knowledge yet."""

    code = "NO_PUBLISHED_VERSION"


class IndexedOtherwiseError(UnavailableError):
    """This version was indexed by another analyser and embedder than those that run here; import it again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """A version with what steers it. Immutable: the same number always gives the same policy and calibration."""

    version: int
    routing_policy: RoutingPolicy
    calibration: Calibration


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """What one snapshot held for one question."""

    serving: Serving
    context: PolicyContext


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalExplanation:
    """What a search without audience and time conditions found: for the answer log, never for a customer."""

    cause: RefusalCause
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageDetail:
    """A passage as it stands now. `replaced_by` is the label of the revision in force instead."""

    passage: Passage
    replaced_by: str | None
    withdrawn_at: datetime | None


class Searcher(Protocol):
    """Reads what a tenant has published. Errors of every method: UnavailableError when database or embedder is."""

    async def serving(self, *, tenant: str, version: int | None = None) -> Serving:
        """Give the current version, or the one named.

        Errors: NoPublishedVersionError; NotFoundError for a number that cannot serve.
        """
        ...

    async def search(
        self, *, tenant: str, segments: tuple[str, ...], question: str, as_of: date, version: int | None = None
    ) -> SearchResult:
        """Collect the policy context of a question from one snapshot of the current version, or the one named.

        Errors: as `serving`.
        """
        ...

    async def explain_refusal(
        self, *, tenant: str, segments: tuple[str, ...], question: str, as_of: date, version: int
    ) -> RefusalExplanation:
        """Say why nothing was strong enough. Runs after the answer is stored, off the answer path."""
        ...

    async def still_current(self, *, tenant: str, passage_ids: Sequence[UUID]) -> bool:
        """Tell whether none of these passages has been withdrawn: the last check before release."""
        ...

    async def read_passage(
        self, *, tenant: str, segments: tuple[str, ...], passage_id: UUID, today: date
    ) -> PassageDetail | None:
        """Read one passage again, with access re-checked; None when this customer may not see it (any more)."""
        ...


def graph_width(passages: int, *, is_second: bool = False) -> int:
    """Say how many vectors a walk through the graph of so many keeps in view: more make it surer and slower.

    Among 100,000 vectors with a dozen near copies each, 800 find .97 of the ten nearest in 5 ms, 200 find .86 in 1 ms.
    Vectors of the second arm have fewer near copies: 500 find .98.
    """
    each = _PASSAGES_EACH_OF_SECOND if is_second else _PASSAGES_EACH
    return min(max(_NARROWEST, passages // each), _WIDEST)
