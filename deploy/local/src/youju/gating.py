"""Golden cases, runs and thresholds over the staff API."""

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, Final, TypeVar
from urllib.parse import quote

import httpx

from contracts.service_token import StaffRole
from knowledge.evaluation.golden import Golden
from youju.http import Body, checked, parsed
from youju.paging import Page, pages
from youju.releasing import PUBLISHED, list_versions
from youju.trouble import Trouble

ROLES: Final[tuple[StaffRole, ...]] = ("reviewer", "publisher")
_CASES_A_CALL: Final = 100
_POLL_SECONDS: Final = 0.5

_Item = TypeVar("_Item")


class CaseSummary(Body):
    """A golden case and what became of it."""

    golden: Golden
    added_by: str
    retired_at: datetime | None
    retired_reason: str | None


class Kept(Body):
    """How many cases were new and how many were there already."""

    added: int
    known: int


class Missed(Body):
    """A reason why a result does not pass."""

    metric: str
    sentence: str


class Measure(Body):
    """A metric with its interval."""

    metric: str
    title: str
    better: str
    number: int
    out_of: int
    value: float | None
    low: float | None
    high: float | None


class Difference(Body):
    """A metric of the published version."""

    metric: str
    published: float | None
    worse: bool


class Comparison(Body):
    """How many questions were won and lost."""

    won: int
    lost: int
    unchanged: int
    probability: float
    differences: tuple[Difference, ...]


class Point(Body):
    """What would happen if evidence had to be at least so strong; None refuses everything, or is where the version stands."""

    strength: float | None
    wrong: int
    wrong_out_of: int
    needless: int
    needless_out_of: int


class Summary(Body):
    """What a run came to."""

    questions: int
    measures: tuple[Measure, ...]
    curve: tuple[Point, ...]
    point: Point
    comparison: Comparison | None


class Run(Body):
    """A run as far as it came."""

    run_id: str
    version: int
    published: int | None
    state: str
    verdict: str | None
    missed: tuple[Missed, ...] = ()
    total: int
    done: int
    reason: str | None
    fingerprint: str
    summary: Summary | None = None


class Gate(Body):
    """Whether a version may be published."""

    standing: str
    open: bool
    sentences: tuple[str, ...]
    settings: tuple[str, ...] = ()


class Thresholds(Body):
    """Bounds with who set them and when."""

    number: int
    spelled: tuple[str, ...]
    set_by: str
    set_at: datetime


class ThresholdsPage(Body):
    """What holds now and what held before."""

    current: Thresholds | None
    items: tuple[Thresholds, ...]


class _Cases(Page):
    items: tuple[CaseSummary, ...]


def keep_cases(client: httpx.Client, cases: Sequence[Golden]) -> Kept:
    """Keep cases, a hundred a call. Errors: Trouble naming a case that says something else than the one of its id."""
    kept = Kept(added=0, known=0)
    for some in _chunks(cases):
        body = {"cases": [case.model_dump(mode="json") for case in some]}
        step = parsed(client.post("/v1/staff/golden-cases", json=body), Kept)
        kept = Kept(added=kept.added + step.added, known=kept.known + step.known)
    return kept


def list_cases(client: httpx.Client, *, case_set: str | None = None, retired: bool = False) -> Iterator[CaseSummary]:
    """Give golden cases by id."""
    query = {"retired": str(retired).lower(), "limit": "200", **({} if case_set is None else {"set": case_set})}
    for page in pages(client, "/v1/staff/golden-cases", _Cases, **query):
        yield from page.items


def retire_case(client: httpx.Client, case_id: str, *, reason: str) -> None:
    """Take a case out of every later run. Errors: Trouble when there is none."""
    checked(client.post(f"/v1/staff/golden-cases/{quote(case_id, safe='')}/retire", json={"reason": reason}))


def start_run(client: httpx.Client, version: int, *, case_sets: Sequence[str]) -> Run:
    """Start a run of stored cases. Errors: Trouble when there are none, or one of this version is running."""
    return parsed(client.post(f"/v1/staff/versions/{version}/evaluations", json={"caseSets": list(case_sets)}), Run)


def follow_run(client: httpx.Client, run_id: str, show: Callable[[Run], None]) -> Run:
    """Wait for the end of a run; `show` sees every state on the way. Errors: Trouble when it failed."""
    while True:
        run = parsed(client.get(f"/v1/staff/evaluations/{run_id}"), Run)
        show(run)
        if run.state == "FAILED":
            raise Trouble(f"The run failed: {run.reason}")
        if run.state == "DONE":
            return run
        time.sleep(_POLL_SECONDS)


def read_page(client: httpx.Client, run_id: str) -> bytes:
    """Give the page of plots of a run."""
    return checked(client.get(f"/v1/staff/evaluations/{run_id}/page")).content


def read_run(client: httpx.Client, run_id: str) -> bytes:
    """Give everything a run came to, as it is told."""
    return checked(client.get(f"/v1/staff/evaluations/{run_id}")).content


def read_gate(client: httpx.Client, version: int) -> Gate:
    """Say how a version stands."""
    return parsed(client.get(f"/v1/staff/versions/{version}/gate"), Gate)


def unproven(client: httpx.Client) -> tuple[str, ...]:
    """Say what speaks against the settings under which a tenant's current version answers; nothing where nothing does."""
    current = next((each.number for each in list_versions(client) if each.state == PUBLISHED), None)
    gate = None if current is None else read_gate(client, current)
    return gate.sentences if gate is not None and gate.settings else ()


def read_thresholds(client: httpx.Client) -> ThresholdsPage:
    """Give the bounds that hold and held."""
    return parsed(client.get("/v1/staff/evaluation-thresholds"), ThresholdsPage)


def set_thresholds(client: httpx.Client, bounds: Sequence[dict[str, Any]]) -> Thresholds:  # JSON of any shape
    """Let bounds hold from now on. Errors: Trouble naming a bound that makes no sense."""
    return parsed(client.put("/v1/staff/evaluation-thresholds", json={"bounds": list(bounds)}), Thresholds)


def read_bound(text: str) -> dict[str, Any]:  # as above
    """Read a bound as people write it: `routeAccuracy>=0.85`, `safety:escalationsAnswered<=0`.

    Errors: Trouble for anything else.
    """
    for sign, side in ((">=", "atLeast"), ("<=", "atMost")):
        name, found, value = text.partition(sign)
        if found:
            case_set, _, metric = name.strip().rpartition(":")
            return {"metric": metric, "caseSet": case_set or None, side: _share(text, value)}
    raise Trouble(f"{text!r} is no bound; write it like routeAccuracy>=0.85 or safety:failures<=0.")


def _share(text: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise Trouble(f"{text!r} is no bound: {value.strip()!r} is no number.") from None


def _chunks(items: Sequence[_Item]) -> Iterator[list[_Item]]:
    left = iter(items)
    while some := list(islice(left, _CASES_A_CALL)):
        yield some
