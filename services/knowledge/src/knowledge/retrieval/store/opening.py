"""Says which version serves a customer, and how rare the terms of a question are in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.retrieval import statements
from knowledge.retrieval.postings import Postings, read_postings
from knowledge.retrieval.store import planning
from runtime.round_trips import Ask, Rows, ask_one, ask_together, listed


@dataclass(frozen=True, slots=True, kw_only=True)
class ServingRow:
    """A version that can serve, as stored."""

    number: int
    routing_policy: str
    calibration: dict[str, Any]  # numbers, and the same again for a second arm
    servable_passages: int
    hot: bool
    visible: int
    """How many passages this customer's audiences hold at most, whatever the day."""
    built_day: date
    analyser: str
    embedder: str
    second_embedder: str | None
    audiences: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What a search begins with: the version that can serve, its counts of terms, and postings that were asked for."""

    row: ServingRow | None
    passages: Mapping[int, int]
    """In how many servable passages each term stands; absent means in none."""
    postings: Mapping[int, Postings]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Terms whose postings are wanted: those in no more than so many passages, the rarest first, up to so many in all.

    Of `meant` a term is wanted where no passage holds the typed one that it may stand for.
    """

    terms: Sequence[int] = ()
    meant: Mapping[int, int] = field(default_factory=dict[int, int])
    most: int = 0
    budget: int = 0


NOTHING_WANTED: Final = Wanted()


def opening_asks(
    *,
    tenant: str,
    version: int | None,
    segments: Sequence[str],
    terms: Sequence[int] = (),
    wanted: Wanted = NOTHING_WANTED,
) -> list[Ask]:
    """Ask for the current version, or the one named, if it can serve, and the audiences that share one of the segments."""
    known: dict[str, Any] = {"tenant": tenant, "version": version}  # statement parameters of several types
    return [
        planning.ONCE,
        Ask(statements.SERVING, known | {"segments": list(segments)}),
        Ask(statements.FREQUENCIES, known | {"terms": listed(terms)}),
        *([Ask(statements.POSTINGS, known | _named(wanted))] if wanted.terms or wanted.meant else []),
    ]


def opening_of(answers: Sequence[Rows]) -> Opening:
    """Read what `opening_asks` were answered."""
    _, rows, counted, *found = answers
    return Opening(
        row=_serving(rows[0]) if rows else None,
        passages={row.term: row.passages for row in counted},
        postings=_postings(found[0] if found else ()),
    )


async def read_wanted(connection: AsyncConnection, *, tenant: str, version: int, wanted: Wanted) -> dict[int, Postings]:
    """Read postings in a snapshot that is open already."""
    if not wanted.terms:
        return {}
    asked = {"tenant": tenant, "version": version} | _named(wanted)
    return _postings(await ask_one(connection, statements.POSTINGS, asked))


async def find_serving(
    connection: AsyncConnection,
    *,
    tenant: str,
    version: int | None,
    segments: Sequence[str],
    terms: Sequence[int] = (),
) -> tuple[ServingRow | None, Mapping[int, int]]:
    """Ask `opening_asks` in a snapshot that is open already, without postings."""
    asks = opening_asks(tenant=tenant, version=version, segments=segments, terms=terms)
    opening = opening_of(await ask_together(connection, asks))
    return opening.row, opening.passages


async def audiences_of(connection: AsyncConnection, *, tenant: str, segments: Sequence[str]) -> tuple[int, ...]:
    """List the audiences that share a segment with the caller."""
    rows = await ask_one(connection, statements.AUDIENCES, {"tenant": tenant, "segments": list(segments)})
    return tuple(row.audience_id for row in rows)


async def frequencies(
    connection: AsyncConnection, *, tenant: str, version: int, terms: Sequence[int]
) -> dict[int, int]:
    """Say in how many servable passages of a version each term stands; absent means in none."""
    asked = {"tenant": tenant, "version": version, "terms": listed(terms)}
    rows = await ask_one(connection, statements.FREQUENCIES, asked)
    return {row.term: row.passages for row in rows}


async def frequent_terms(  # noqa: PLR0913 - a version and three bounds
    connection: AsyncConnection, *, tenant: str, version: int, least: int, most: int, postings: int
) -> dict[int, int]:
    """List terms that stand in so many passages, the most frequent first, until they have so many postings together."""
    bounds = {"tenant": tenant, "version": version, "least": least, "most": most, "postings": postings}
    return {row.term: row.passages for row in await ask_one(connection, statements.FREQUENT, bounds)}


def _named(wanted: Wanted) -> dict[str, Any]:  # statement parameters of several types
    return {
        "terms": listed(wanted.terms),
        "meant": listed(wanted.meant),
        "typed": listed(wanted.meant.values()),
        "most": wanted.most,
        "budget": wanted.budget,
    }


def _postings(rows: Rows) -> dict[int, Postings]:
    return {row.term: read_postings(row.passages, row.impacts) for row in rows if row.passages}


def _serving(row: Any) -> ServingRow:  # a row of the statement
    return ServingRow(
        number=row.number,
        routing_policy=row.routing_policy,
        calibration=row.calibration,
        servable_passages=row.servable_passages,
        hot=row.hot,
        visible=int(row.visible or 0),
        built_day=row.built_day,
        analyser=row.analyser,
        embedder=row.embedder,
        second_embedder=row.second_embedder,
        audiences=tuple(row.audiences),
    )
