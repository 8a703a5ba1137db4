"""Checks of answers as rows: sampled from sealed batches, claimed one by one, judged or given up."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, and_, func, literal, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from contracts.answers import CitationView, Outcome
from knowledge.answering.draft import Usage
from knowledge.answering.log import LoggedCitation
from knowledge.checking.judging import Checkable, Claim, Judgement, claims_of
from knowledge.tables.answers import answer_log, answer_opening
from knowledge.tables.checks import answer_check, answer_judgement
from knowledge.tables.seals import answer_chain, answer_erasure, answer_seal

_ONLY_TRY: Final = 1
# A worker that took a check has answered, or died, by then.
_LEASE: Final = text("interval '2 minutes'")
# Whoever turns checking on wants to know of answers from now on, not of those of last year.
_SAMPLED_FOR: Final = text("interval '1 day'")
_BATCHES: Final = 20

_CHECK: Final = answer_check.c
_CHAIN: Final = answer_chain.c
_ERASED: Final = answer_erasure.c


@dataclass(frozen=True, slots=True)
class Counted:
    """How checks of the last day ended."""

    agreed: int
    disagreed: int
    given_up: int


async def tenants_to_sample(connection: AsyncConnection, *, limit: int) -> list[str]:
    """List tenants with sealed batches nobody sampled from yet, in any order. Runs as the sweeper."""
    query = select(_CHAIN.tenant).where(_CHAIN.sealed > _CHAIN.sampled).order_by(func.random()).limit(limit)
    return list((await connection.execute(query)).scalars())


async def take_answers(connection: AsyncConnection, tenant: str) -> list[UUID]:
    """Take the answers of the next batches of a tenant, each once. Repeat: what was taken is not given again."""
    held = select(_CHAIN.sealed, _CHAIN.sampled).where(_CHAIN.tenant == tenant).with_for_update(skip_locked=True)
    chain = (await connection.execute(held)).first()
    if chain is None:
        return []
    until = min(chain.sealed, chain.sampled + _BATCHES)
    seal, log = answer_seal.c, answer_log.c
    same = and_(log.tenant == seal.tenant, log.attempt == seal.attempt, log["try"] == seal["try"])
    query = (
        select(seal.attempt)
        .join(answer_log, same)
        .where(seal.tenant == tenant, seal.batch > chain.sampled, seal.batch <= until, seal.kind == "closing")
        .where(log.outcome == "answered", log.closed_at > func.clock_timestamp() - _SAMPLED_FOR)
    )
    taken = list((await connection.execute(query)).scalars())
    await connection.execute(update(answer_chain).where(_CHAIN.tenant == tenant).values(sampled=until))
    return taken


async def ask_for_checks(connection: AsyncConnection, tenant: str, attempts: Sequence[UUID]) -> None:
    """Ask for a check of each of these answers. Repeat: one that is there stays."""
    rows = [{"tenant": tenant, "attempt": attempt, "try": _ONLY_TRY} for attempt in attempts]
    if rows:
        await connection.execute(insert(answer_check).values(rows).on_conflict_do_nothing())


async def due_checks(connection: AsyncConnection, *, limit: int) -> list[tuple[str, UUID]]:
    """List checks that are due. Runs as the sweeper."""
    query = (
        select(_CHECK.tenant, _CHECK.attempt)
        .where(_CHECK.state == "PENDING", _CHECK.due_at <= func.clock_timestamp())
        .order_by(_CHECK.due_at)
        .limit(limit)
    )
    return [(row[0], row[1]) for row in await connection.execute(query)]


async def claim_check(connection: AsyncConnection, tenant: str, attempt_id: UUID) -> bool:
    """Take a due check for two minutes. Repeat: whoever comes second gets False."""
    taken = (
        update(answer_check)
        .where(_is(tenant, attempt_id), _CHECK.state == "PENDING", _CHECK.due_at <= func.clock_timestamp())
        .values(due_at=func.clock_timestamp() + _LEASE, tries=_CHECK.tries + 1)
    )
    return (await connection.execute(taken)).rowcount == 1


async def count_checks(connection: AsyncConnection, tenant: str) -> Counted:
    """Count how a tenant's checks of the last day ended."""
    ended = [
        func.count().filter(_CHECK.state == "DONE", _CHECK.unsupported == 0),
        func.count().filter(_CHECK.state == "DONE", _CHECK.unsupported > 0),
        func.count().filter(_CHECK.state == "GIVEN_UP"),
    ]
    query = select(*ended).where(_CHECK.tenant == tenant, _CHECK.ended_at > func.clock_timestamp() - _SAMPLED_FOR)
    return Counted(*(await connection.execute(query)).one())


def read_checkable(connection: Connection, tenant: str, attempt_id: UUID) -> tuple[Checkable, int] | None:
    """Give an answer whose check is pending, and how often it was tried; None when there is nothing to check any more."""
    opening, log = answer_opening.c, answer_log.c
    joined = answer_check
    for table in (answer_opening, answer_log):
        same = and_(table.c.tenant == _CHECK.tenant, table.c.attempt == _CHECK.attempt, table.c["try"] == _CHECK["try"])
        joined = joined.join(table, same)
    query = (
        select(opening.question_masked, log.result, log.citations, _CHECK.tries)
        .select_from(joined)
        .where(_is(tenant, attempt_id), _CHECK.state == "PENDING", log.result.is_not(None))
    )
    row = connection.execute(query).first()
    if row is None:
        return None
    claims = claims_of(Outcome.model_validate(row.result), [_citation(each) for each in row.citations])
    return Checkable(attempt_id=attempt_id, question=row.question_masked, claims=claims), row.tries


def spent_since(connection: Connection, tenant: str, moment: datetime) -> Decimal:
    """Add up what a tenant's checks have cost since a moment, those on their way at what they cost so far."""
    since = func.coalesce(_CHECK.ended_at, _CHECK.due_at) >= moment
    query = select(func.coalesce(func.sum(_CHECK.cost), 0)).where(_CHECK.tenant == tenant, since)
    return Decimal(connection.execute(query).scalar_one())


def note_judgements(
    connection: Connection, tenant: str, attempt_id: UUID, claims: Sequence[tuple[Claim, Judgement]], *, usage: Usage
) -> bool:
    """Keep what the second model said. Repeat: False when the check has ended already, and nothing changes."""
    unsupported = sum(not said.is_supported for _, said in claims)
    ended = {"state": "DONE", "claims": len(claims), "unsupported": unsupported, "model": usage.model, "trouble": None}
    if not _end(connection, tenant, attempt_id, {**ended, **_spent(usage), "ended_at": func.clock_timestamp()}):
        return False
    # The check is held now, so an erasure came before and is seen, or waits and takes what is written here.
    is_erased = connection.execute(
        select(_ERASED.attempt).where(_ERASED.tenant == tenant, _ERASED.attempt == attempt_id)
    )
    kept = [(claim, replace(said, reason=None)) for claim, said in claims] if is_erased.first() else claims
    rows = [_judgement(tenant, attempt_id, at, *each) for at, each in enumerate(kept, start=1)]
    connection.execute(insert(answer_judgement).values(rows))
    return True


def note_trouble(  # noqa: PLR0913 - what is known of a check that came to nothing
    connection: Connection,
    tenant: str,
    attempt_id: UUID,
    *,
    trouble: str,
    wait: timedelta | None,
    usage: Usage | None = None,
) -> None:
    """Keep why a check came to nothing: it is due again after the wait, or given up without one."""
    known: dict[str, Any] = {"trouble": trouble, **(_spent(usage) if usage else {})}  # values of several column types
    if wait is None:
        known |= {"state": "GIVEN_UP", "ended_at": func.clock_timestamp()}
    else:
        known["due_at"] = func.clock_timestamp() + literal(wait)
    _end(connection, tenant, attempt_id, known)


def _end(connection: Connection, tenant: str, attempt_id: UUID, values: dict[str, Any]) -> bool:  # as above
    pending = update(answer_check).where(_is(tenant, attempt_id), _CHECK.state == "PENDING")
    return connection.execute(pending.values(values)).rowcount == 1


def _spent(usage: Usage) -> dict[str, Any]:  # as above
    return {
        "input_tokens": _CHECK.input_tokens + usage.input_tokens,
        "output_tokens": _CHECK.output_tokens + usage.output_tokens,
        "cost": _CHECK.cost + (usage.cost or Decimal(0)),
    }


def _judgement(tenant: str, attempt_id: UUID, number: int, claim: Claim, said: Judgement) -> dict[str, Any]:  # as above
    return {
        "tenant": tenant,
        "attempt": attempt_id,
        "try": _ONLY_TRY,
        "claim": number,
        "part": claim.part,
        "is_supported": said.is_supported,
        "reason": said.reason,
    }


def _citation(stored: dict[str, Any]) -> LoggedCitation:  # JSON of the log
    view = CitationView.model_validate(stored["view"])
    return LoggedCitation(view=view, passage_id=UUID(stored["passageId"]), start=stored["start"], end=stored["end"])


def _is(tenant: str, attempt_id: UUID) -> Any:  # SQLAlchemy's condition type is generic over bool
    return and_(_CHECK.tenant == tenant, _CHECK.attempt == attempt_id, _CHECK["try"] == _ONLY_TRY)
