"""The answer log as rows: opened once, closed once, explained once; never changed."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Connection, Row, and_, exists, func, literal, select, text
from sqlalchemy import Uuid as UuidType
from sqlalchemy.dialects.postgresql import ARRAY, insert
from sqlalchemy.ext.asyncio import AsyncConnection

from contracts.answers import CitationView, Outcome
from contracts.reasons import FailureCode, RefusalCause
from knowledge.answering.draft import Draft, Missed, Usage
from knowledge.answering.log import Asked, ClosedBeforeError, Closing, Logged, LoggedCitation, LoggedDraft, abandoned
from knowledge.retrieval.passage import Candidate
from knowledge.tables.answers import answer_cause, answer_log, answer_opening
from knowledge.tables.seals import answer_open, answer_original

# Knowledge runs an attempt once. The column is there for a log that must one day tell runs apart.
_ONLY_TRY: Final = 1
# No attempt lives this long: an opening without a closing was left behind by a process that died.
_ABANDONED_AFTER: Final = text("interval '60 seconds'")
_LONGEST_ATTEMPT: Final = timedelta(seconds=60)


class AnswerLogStore:
    """Reads and adds rows of the answer log inside the caller's transaction."""

    def __init__(self, connection: AsyncConnection) -> None:
        """Use a transaction whose tenant is set."""
        self._connection = connection

    async def open(self, asked: Asked, *, settings_fingerprint: str) -> bool:
        """Insert the opening row. Repeat: False when it is there already."""
        row = {
            **_key(asked),
            "retry_of": asked.retry_of,
            "conversation": asked.conversation_id,
            "channel": asked.channel,
            "audience": list(asked.segments),
            "language": asked.language,
            "as_of": asked.as_of,
            "asked_at": asked.asked_at,
            "question_masked": asked.masked_question,
            "earlier": list(asked.earlier_questions),
            "facts": dict(asked.facts),
            "typed_facts": dict(asked.typed_facts),
            "settings_fingerprint": settings_fingerprint,
            "trace_id": asked.trace_id,
        }
        added = await self._connection.execute(
            insert(answer_opening).values(row).on_conflict_do_nothing().returning(answer_opening.c.attempt)
        )
        is_new = added.first() is not None
        if is_new and asked.original is not None:
            await self._connection.execute(insert(answer_original).values({**_key(asked), **asdict(asked.original)}))
        return is_new

    async def close(self, asked: Asked, closing: Closing) -> None:
        """Insert the closing row.

        Errors: ClosedBeforeError when the attempt is closed already or given up as abandoned.
        """
        if not await self._close(asked.tenant, asked.attempt_id, closing, when=~_is_abandoned()):
            raise ClosedBeforeError

    async def left_behind(self, *, limit: int) -> list[tuple[str, UUID]]:
        """List attempts that are open for longer than any can run. Runs as the sweeper."""
        left = answer_open.c
        late = left.opened_at < func.clock_timestamp() - _ABANDONED_AFTER
        query = select(left.tenant, left.attempt).where(late).order_by(left.opened_at).limit(limit)
        return [(row[0], row[1]) for row in await self._connection.execute(query)]

    async def close_abandoned(self, tenant: str, attempt_id: UUID, *, at: datetime) -> bool:
        """Close an attempt that nobody runs any more. Repeat: False when it has an end already."""
        return await self._close(tenant, attempt_id, abandoned(at), when=_is_abandoned())

    async def _close(self, tenant: str, attempt_id: UUID, closing: Closing, *, when: Any) -> bool:  # as `_is_attempt`
        row = {"tenant": tenant, "attempt": attempt_id, "try": _ONLY_TRY, **_closing_row(closing)}
        columns = [answer_log.c[name] for name in row]
        values = select(*(literal(value, column.type) for column, value in zip(columns, row.values(), strict=True)))
        is_there = exists().where(_is_attempt(tenant, attempt_id), when)
        closing_it = insert(answer_log).from_select(columns, values.where(is_there)).on_conflict_do_nothing()
        added = await self._connection.execute(closing_it.returning(answer_log.c.attempt))
        return added.first() is not None

    async def note_cause(self, asked: Asked, cause: RefusalCause, candidates: tuple[Candidate, ...]) -> None:
        """Insert what lay behind a refusal. Repeat: the first note stays."""
        row = {**_key(asked), "cause": cause, "candidates": [_candidate(each) for each in candidates]}
        await self._connection.execute(insert(answer_cause).values(row).on_conflict_do_nothing())

    async def find(self, tenant: str, attempt_id: UUID) -> Logged | None:
        """Give an attempt as far as it came; None when it was never opened, or its texts are erased."""
        joined = answer_opening.outerjoin(
            answer_log,
            and_(
                answer_log.c.tenant == answer_opening.c.tenant,
                answer_log.c.attempt == answer_opening.c.attempt,
                answer_log.c["try"] == answer_opening.c["try"],
            ),
        )
        opening = answer_opening.c
        query = (
            select(answer_log, opening.as_of, opening.language, opening.trace_id, _is_abandoned().label("abandoned"))
            .select_from(joined)
            .where(_is_attempt(tenant, attempt_id))
        )
        row = (await self._connection.execute(query)).first()
        if row is None or (row.outcome in ("answered", "refused") and row.result is None):
            return None
        return _logged(row)

    async def spent_since(self, tenant: str, moment: datetime) -> Decimal:
        """Add up what attempts closed since a moment have cost."""
        log = answer_log.c
        # Attempts are numbered by the time they were asked: the key finds the day without reading the years before.
        first = UUID(int=int((moment - _LONGEST_ATTEMPT).timestamp() * 1000) << 80)
        costs = select(func.coalesce(func.sum(log.cost), 0)).where(
            log.tenant == tenant, log.attempt >= first, log.closed_at >= moment
        )
        return Decimal((await self._connection.execute(costs)).scalar_one())


def erase_customer(connection: Connection, *, tenant: str, attempt_ids: Sequence[UUID]) -> int:
    """Erase what a customer wrote in these attempts, and give how many were erased now.

    Questions, facts, drafts and answers go, with the keys of their commitments and of the question's original; that the
    attempt was, and how it ended, stays. Repeat: harmless; an attempt that is still running closes without its texts.
    """
    del tenant  # the transaction is of one tenant, and the function keeps to it
    erased = connection.execute(select(func.erase_answers(literal(list(attempt_ids), ARRAY(UuidType())))))
    return int(erased.scalar_one())


def _key(asked: Asked) -> dict[str, Any]:  # values of several column types
    return {"tenant": asked.tenant, "attempt": asked.attempt_id, "try": _ONLY_TRY}


def _is_attempt(tenant: str, attempt_id: UUID) -> Any:  # SQLAlchemy's condition type is generic over bool
    opening = answer_opening.c
    return and_(opening.tenant == tenant, opening.attempt == attempt_id, opening["try"] == _ONLY_TRY)


def _is_abandoned() -> Any:  # as above
    return answer_opening.c.opened_at < func.clock_timestamp() - _ABANDONED_AFTER


def _closing_row(closing: Closing) -> dict[str, Any]:  # values of several column types
    outcome, released = closing.outcome, closing.released
    usage = released.usage if released else None
    spent = closing.spent
    return {
        "version": closing.version,
        "routing_policy": closing.routing_policy,
        "calibration": dict(closing.calibration),
        "route": closing.route,
        "route_rule": closing.route_rule,
        "outcome": "failed" if outcome is None else "refused" if outcome.refused else "answered",
        "reason": outcome.reason_code if outcome else None,
        "cause": closing.cause,
        "failure": closing.failure,
        "handoff": outcome.handoff if outcome else None,
        "strength": closing.strength,
        "read_as": list(closing.read_as),
        "lacking": list(closing.lacking),
        "candidates": [_candidate(each) for each in closing.candidates],
        "policy_context": list(closing.context),
        "drafts": [_draft(each) for each in closing.drafts],
        "faults": sorted({fault.code for draft in closing.drafts for fault in draft.faults}),
        "result": outcome.model_dump(mode="json") if outcome else None,
        "citations": [_citation(each) for each in closing.citations],
        "writer": released.writer if released else None,
        "model": usage.model if usage else None,
        "prompt_version": usage.prompt_version if usage else None,
        "input_tokens": spent.input_tokens if spent else 0,
        "output_tokens": spent.output_tokens if spent else 0,
        "cost": spent.cost if spent else Decimal(0),
        "finish_reason": usage.finish_reason if usage else None,
        "stage_milliseconds": dict(closing.stage_milliseconds),
        "closed_at": closing.closed_at,
    }


def _candidate(candidate: Candidate) -> dict[str, Any]:  # JSON
    return {"passageId": str(candidate.passage_id), **asdict(candidate.scores)}


def _draft(draft: LoggedDraft) -> dict[str, Any]:  # JSON
    return {
        "writer": draft.writer,
        "raw": draft.raw,
        "claimed": [
            {"passageId": str(passage) if passage else None, "quote": quote} for passage, quote in draft.claimed
        ],
        "faults": [asdict(fault) for fault in draft.faults],
        "lifted": list(draft.lifted),
        "trouble": draft.trouble,
        "usage": _priced(draft.usage) if draft.usage else None,
        "missed": [_missed(each) for each in draft.missed],
        "draft": _judged(draft.draft) if draft.draft else None,
    }


def _missed(missed: Missed) -> dict[str, Any]:  # JSON
    usage = _priced(missed.usage) if missed.usage else None
    return {"model": missed.model, "trouble": missed.trouble, "usage": usage}


def _judged(draft: Draft) -> dict[str, Any]:  # JSON
    """Keep what a draft is besides its raw text and citations, which are kept already."""
    return {
        "refusal": draft.refusal,
        "missingFacts": list(draft.missing_facts),
        "parts": [asdict(part) for part in draft.parts],
        "deviations": [asdict(deviation) for deviation in draft.deviations],
    }


def _priced(usage: Usage) -> dict[str, Any]:  # JSON
    return {**asdict(usage), "cost": None if usage.cost is None else str(usage.cost)}


def _citation(citation: LoggedCitation) -> dict[str, Any]:  # JSON
    return {
        "view": citation.view.model_dump(mode="json"),
        "passageId": str(citation.passage_id),
        "start": citation.start,
        "end": citation.end,
        "document": citation.document,
        "area": citation.area,
    }


def _logged(row: Row[Any]) -> Logged:  # the columns of two tables
    is_closed = row.outcome is not None
    failure = row.failure if is_closed else FailureCode.ABANDONED if row.abandoned else None
    return Logged(
        version=row.version,
        as_of=row.as_of,
        language=row.language,
        trace_id=row.trace_id,
        outcome=Outcome.model_validate(row.result) if row.result is not None else None,
        failure=FailureCode(failure) if failure is not None else None,
        citations=tuple(_logged_citation(each) for each in row.citations or ()),
        writer=row.writer,
        usage=_usage(row) if row.writer is not None else None,
    )


def _logged_citation(stored: dict[str, Any]) -> LoggedCitation:  # JSON as `_citation` wrote it
    return LoggedCitation(
        view=CitationView.model_validate(stored["view"]),
        passage_id=UUID(stored["passageId"]),
        start=stored["start"],
        end=stored["end"],
        # Citations that were logged before these were kept have neither.
        document=stored.get("document"),
        area=stored.get("area"),
    )


def _usage(row: Row[Any]) -> Usage:  # the columns of two tables
    return Usage(
        model=row.model,
        input_tokens=row.input_tokens,
        output_tokens=row.output_tokens,
        finish_reason=row.finish_reason,
        prompt_version=row.prompt_version,
        cost=row.cost,
    )
