"""Proposals for the knowledge: added by reviewers, decided by owners."""

from typing import Any
from uuid import UUID

from sqlalchemy import Row, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from knowledge.review.proposal import (
    Decision,
    Proposal,
    ProposalDraft,
    ProposalNotFoundError,
    ProposalState,
    check_decision,
)
from knowledge.review.store.queue import lock
from knowledge.tables.review import knowledge_proposal
from knowledge.versions.acts import Acting

_COLUMNS = knowledge_proposal.c


async def add_proposal(connection: AsyncConnection, acting: Acting, draft: ProposalDraft) -> Proposal:
    """Keep a proposal for the owners.

    Repeat: what the same reviewer proposed word by word, and is still undecided, is there once.
    Errors: ItemNotFoundError when the attempt is not in the queue.
    """
    item = await lock(connection, draft.attempt_id)
    same = select(knowledge_proposal).where(
        _COLUMNS.attempt == draft.attempt_id,
        _COLUMNS.slug == draft.slug,
        _COLUMNS.title == draft.title,
        _COLUMNS.body == draft.body,
        _COLUMNS.proposed_by == acting.actor,
        _COLUMNS.state == "PROPOSED",
    )
    if known := (await connection.execute(same)).first():
        return _proposal(known)
    adding = insert(knowledge_proposal).values(
        tenant=acting.tenant,
        id=draft.proposal_id,
        attempt=draft.attempt_id,
        slug=draft.slug,
        title=draft.title,
        language=draft.language,
        # Read before the item was locked: its customer may be erased by now.
        question=None if item.state == "ERASED" else draft.question,
        body=draft.body,
        proposed_by=acting.actor,
    )
    return _proposal((await connection.execute(adding.returning(knowledge_proposal))).one())


async def find_proposal(connection: AsyncConnection, proposal_id: UUID) -> Proposal:
    """Give a proposal. Errors: ProposalNotFoundError."""
    row = (await connection.execute(select(knowledge_proposal).where(_COLUMNS.id == proposal_id))).one_or_none()
    if row is None:
        raise ProposalNotFoundError
    return _proposal(row)


async def list_proposals(
    connection: AsyncConnection, *, before: UUID | None, limit: int, state: ProposalState | None = None
) -> list[Proposal]:
    """List proposals, newest first, before one."""
    listing = select(knowledge_proposal).order_by(_COLUMNS.id.desc()).limit(limit)
    if state is not None:
        listing = listing.where(_COLUMNS.state == state)
    if before is not None:
        listing = listing.where(_COLUMNS.id < before)
    return [_proposal(row) for row in await connection.execute(listing)]


async def decide(
    connection: AsyncConnection, acting: Acting, proposal_id: UUID, *, decision: Decision, reason: str | None
) -> Proposal:
    """Write down what an owner makes of a proposal. Repeat: the same decision keeps its first reason.

    Errors: ProposalNotFoundError, ProposalDecidedError.
    """
    await connection.execute(select(_COLUMNS.id).where(_COLUMNS.id == proposal_id).with_for_update())
    if check_decision(await find_proposal(connection, proposal_id), decision):
        decided = {"state": decision, "decided_by": acting.actor, "decided_at": func.clock_timestamp()}
        deciding = update(knowledge_proposal).where(_COLUMNS.id == proposal_id)
        await connection.execute(deciding.values(**decided, decision=reason))
    return await find_proposal(connection, proposal_id)


def _proposal(row: Row[Any]) -> Proposal:  # a whole row of the table
    return Proposal(
        proposal_id=row.id,
        attempt_id=row.attempt,
        slug=row.slug,
        title=row.title,
        language=row.language,
        question=row.question,
        body=row.body,
        state=row.state,
        proposed_by=row.proposed_by,
        proposed_at=row.proposed_at,
        decided_by=row.decided_by,
        decided_at=row.decided_at,
        decision=row.decision,
    )
