"""Read an attempt back from the answer log, whole, for a replay."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, RowMapping, and_, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from contracts.answers import CitationView, Outcome
from contracts.reasons import FailureCode, RefusalReason
from knowledge.answering.draft import Deviation, DeviationCode, Draft, DraftCitation, DraftPart
from knowledge.answering.log import Asked, Closing, LoggedCitation, LoggedDraft, LoggedFault, read_cause
from knowledge.answering.logged_usage import read_missed, read_usage
from knowledge.auditing.replaying import Kept, Withdrawn
from knowledge.retrieval.passage import Candidate, Scores
from knowledge.tables.answers import answer_log, answer_opening
from knowledge.tables.seals import answer_erasure

_WITHDRAWN = text("""
    SELECT passage.id, document.slug, withdrawal.withdrawn_at FROM passage
    JOIN revision ON revision.tenant = passage.tenant AND revision.id = passage.revision
    JOIN document ON document.tenant = revision.tenant AND document.id = revision.document
    JOIN withdrawal ON withdrawal.tenant = revision.tenant AND withdrawal.document = revision.document
        AND withdrawal.content_sha256 = revision.content_sha256
    WHERE passage.tenant = :tenant AND passage.id = ANY (:ids) ORDER BY document.slug, passage.id
""")


async def read_kept(
    connection: AsyncConnection, tenant: str, attempt_id: UUID, *, today_of: Callable[[datetime], date]
) -> Kept | None:
    """Give an attempt that ended; None when it did not end, or never began. `today_of` gives the tenant's day."""
    opening, erasure = answer_opening.c, answer_erasure.c
    keys = [
        and_(each.tenant == opening.tenant, each.attempt == opening.attempt, each["try"] == opening["try"])
        for each in (answer_log.c, erasure)
    ]
    joined = answer_opening.join(answer_log, keys[0]).outerjoin(answer_erasure, keys[1])
    own = [column for column in answer_log.c if column.name not in ("tenant", "attempt", "try")]
    query = select(answer_opening, *own, erasure.erased_at).select_from(joined)
    row = (
        (await connection.execute(query.where(opening.tenant == tenant, opening.attempt == attempt_id)))
        .mappings()
        .first()
    )
    if row is None:
        return None
    return Kept(
        asked=_asked(row, today_of(row["asked_at"])),
        closing=_closing(row),
        fingerprint=row["settings_fingerprint"],
        erased_at=row["erased_at"],
    )


async def is_open(connection: AsyncConnection, tenant: str, attempt_id: UUID) -> bool:
    """Tell whether an attempt began."""
    opening = answer_opening.c
    query = select(opening.attempt).where(opening.tenant == tenant, opening.attempt == attempt_id)
    return (await connection.execute(query)).first() is not None


async def withdrawn_among(connection: AsyncConnection, tenant: str, ids: Sequence[UUID]) -> tuple[Withdrawn, ...]:
    """Name those of these passages that are withdrawn now."""
    rows = await connection.execute(_WITHDRAWN, {"tenant": tenant, "ids": list(ids)})
    return tuple(_withdrawn(row) for row in rows)


def _withdrawn(row: Row[Any]) -> Withdrawn:  # a row of a text statement
    return Withdrawn(passage_id=row.id, document=row.slug, withdrawn_at=row.withdrawn_at)


def _asked(row: RowMapping, today: date) -> Asked:
    return Asked(
        tenant=row["tenant"],
        attempt_id=row["attempt"],
        conversation_id=row["conversation"],
        retry_of=row["retry_of"],
        segments=tuple(row["audience"]),
        masked_question=row["question_masked"] or "",
        language=row["language"],
        as_of=row["as_of"],
        today=today,
        asked_at=row["asked_at"],
        facts=row["facts"] or {},
        typed_facts=row["typed_facts"] or {},
        earlier_questions=tuple(row["earlier"] or ()),
        channel=row["channel"],
        trace_id=row["trace_id"],
    )


def _closing(row: RowMapping) -> Closing:
    return Closing(
        outcome=None if row["result"] is None else Outcome.model_validate(row["result"]),
        failure=None if row["failure"] is None else FailureCode(row["failure"]),
        citations=tuple(_citation(each) for each in row["citations"]),
        cause=None if row["cause"] is None else read_cause(row["cause"]),
        version=row["version"],
        routing_policy=row["routing_policy"],
        calibration=row["calibration"],
        route=None if row["route"] is None else RefusalReason(row["route"]),
        route_rule=row["route_rule"],
        strength=row["strength"],
        read_as=tuple(row["read_as"] or ()),
        lacking=tuple(row["lacking"] or ()),
        context=tuple(row["policy_context"]),
        candidates=tuple(_candidate(each) for each in row["candidates"]),
        drafts=tuple(_draft(each) for each in row["drafts"] or ()),
        stage_milliseconds=row["stage_milliseconds"],
        closed_at=row["closed_at"],
    )


def _candidate(stored: dict[str, Any]) -> Candidate:  # JSON of the log
    scores = {name: stored[name] for name in Scores.__slots__ if name in stored}
    return Candidate(passage_id=UUID(stored["passageId"]), scores=Scores(**scores))


def _citation(stored: dict[str, Any]) -> LoggedCitation:  # as above
    return LoggedCitation(
        view=CitationView.model_validate(stored["view"]),
        passage_id=UUID(stored["passageId"]),
        start=stored["start"],
        end=stored["end"],
    )


def _draft(stored: dict[str, Any]) -> LoggedDraft:  # as above
    claimed = [
        (None if each["passageId"] is None else UUID(each["passageId"]), each["quote"]) for each in stored["claimed"]
    ]
    judged = stored.get("draft")
    return LoggedDraft(
        writer=stored["writer"],
        raw=stored["raw"],
        claimed=tuple(claimed),
        faults=tuple(LoggedFault(**each) for each in stored["faults"]),
        trouble=stored["trouble"],
        usage=read_usage(stored["usage"]),
        draft=None if judged is None else _judged(judged, stored),
        # Drafts that were logged before there was a second opinion have none.
        lifted=tuple(stored.get("lifted", ())),
        missed=read_missed(stored),
    )


def _judged(judged: dict[str, Any], stored: dict[str, Any]) -> Draft:  # as above
    """Put a draft together again, under ids of passages instead of its handles; an unknown handle stays unknown."""
    cited = (
        DraftCitation(each["passageId"] or f"unknown-{at}", each["quote"]) for at, each in enumerate(stored["claimed"])
    )
    return Draft(
        refusal=None if judged["refusal"] is None else RefusalReason(judged["refusal"]),
        missing_facts=tuple(judged["missingFacts"]),
        citations=tuple(cited),
        parts=tuple(_part(each) for each in judged["parts"]),
        raw=stored["raw"],
        deviations=tuple(Deviation(DeviationCode(each["code"]), each["detail"]) for each in judged["deviations"]),
    )


def _part(stored: dict[str, Any]) -> DraftPart:  # as above
    return replace(DraftPart(**stored), citations=tuple(stored["citations"]))
