"""What reviewers and operators do with an attempt of the log: run it again, and read the question as it was typed."""

from datetime import date, datetime
from uuid import UUID

from fastapi import APIRouter

from contracts.errors import ConflictError, NotFoundError
from contracts.ids import MalformedIdError, parsed, printed
from contracts.model import Outgoing
from contracts.reasons import Language
from knowledge.adapters.question_cipher import QuestionCipher
from knowledge.adapters.replaying import replay
from knowledge.api.answers import WithAnswering
from knowledge.api.dependencies import WithResources, acting
from knowledge.api.parameters import AttemptPath
from knowledge.api.problems import PROBLEMS
from knowledge.api.roles import Operator, ReviewerOrOperator
from knowledge.auditing.replaying import AttemptNotFoundError, Replay
from knowledge.auditing.store.questions import read_question
from knowledge.versions.store.audit import record_act
from runtime.sealing import UnopenedError

router = APIRouter(prefix="/v1/staff/attempts", tags=["answer log"], responses=PROBLEMS)


class DifferenceView(Outgoing):
    """Something that came out otherwise than the log says."""

    field: str
    logged: str
    now: str


class DraftView(Outgoing):
    """A logged draft, with the codes of its faults then and now; null where it was not judged."""

    writer: str
    logged: tuple[str, ...] | None
    now: tuple[str, ...] | None


class WithdrawnView(Outgoing):
    """A passage of the attempt that was withdrawn since."""

    passage_id: str
    document: str
    withdrawn_at: datetime


class ReplayView(Outgoing):
    """What a replay came to. With `erasedAt` nothing was run: the customer's text is gone."""

    attempt_id: str
    version: int | None
    as_of: date
    asked_at: datetime
    language: Language
    question: str | None
    erased_at: datetime | None
    settings_differ: bool
    agrees: bool
    differences: tuple[DifferenceView, ...]
    drafts: tuple[DraftView, ...]
    withdrawn: tuple[WithdrawnView, ...]


class QuestionView(Outgoing):
    """A question as it was typed."""

    attempt_id: str
    question: str


class QuestionSealedError(ConflictError):
    """The key that opens this question is not among the installation's."""

    code = "ORIGINAL_SEALED"


@router.get("/{attempt_id}/replay", summary="Run an attempt again and compare it with the log")
async def get_replay(
    attempt_id: AttemptPath, staff: ReviewerOrOperator, held: WithAnswering, resources: WithResources
) -> ReplayView:
    """Repeat retrieval and validation on the attempt's version, audience and day; no model is asked.

    Errors: NotFoundError; 409 ATTEMPT_OPEN before the attempt has ended.
    """
    found = await replay(
        held,
        resources.database,
        tenant=staff.claims.tenant,
        attempt_id=_attempt(attempt_id),
        time_zone=staff.tenant.time_zone,
    )
    return _view(found)


@router.get("/{attempt_id}/question", summary="Read a question as it was typed")
async def get_question(attempt_id: AttemptPath, staff: Operator, held: WithResources) -> QuestionView:
    """Decrypt a question; that it was read goes into the audit trail. Errors: NotFoundError when it is erased."""
    tenant, wanted = staff.claims.tenant, _attempt(attempt_id)
    async with held.database.transaction(tenant) as connection:
        original = await read_question(connection, tenant, wanted)
        if original is None or held.ring is None:
            raise NotFoundError("No question is kept as it was typed.")
        try:
            question = QuestionCipher(held.ring).open(original, tenant=tenant, attempt_id=wanted)
        except UnopenedError as sealed:
            raise QuestionSealedError from sealed
        await record_act(connection, acting(staff), "QUESTION_READ", subject=f"attempt:{printed('att', wanted)}")
    return QuestionView(attempt_id=printed("att", wanted), question=question)


def _attempt(text: str) -> UUID:
    try:
        return parsed("att", text)
    except MalformedIdError as malformed:
        raise AttemptNotFoundError from malformed


def _view(found: Replay) -> ReplayView:
    kept = found.kept
    asked = kept.asked
    return ReplayView(
        attempt_id=printed("att", asked.attempt_id),
        version=kept.closing.version,
        as_of=asked.as_of,
        asked_at=asked.asked_at,
        language=asked.language,
        question=None if kept.erased_at is not None else asked.masked_question,
        erased_at=kept.erased_at,
        settings_differ=found.settings_differ,
        agrees=not found.differences,
        differences=tuple(DifferenceView.model_validate(each, from_attributes=True) for each in found.differences),
        drafts=tuple(DraftView.model_validate(each, from_attributes=True) for each in found.drafts),
        withdrawn=tuple(
            WithdrawnView(passage_id=str(each.passage_id), document=each.document, withdrawn_at=each.withdrawn_at)
            for each in found.withdrawn
        ),
    )
