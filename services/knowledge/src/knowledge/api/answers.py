"""What bff asks: an answer as a stream or whole, how an attempt ended, and a citation read again."""

import asyncio
from datetime import date
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Depends, Header, Path, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from contracts.answers import AnswerRequest, CitedPassage, LoggedAnswer
from contracts.customer import QUESTION_MAX_CHARACTERS
from contracts.errors import InvalidRequestError, NotFoundError, UnauthenticatedError
from contracts.ids import MalformedIdError, parsed, printed
from contracts.reasons import AttemptStatus
from contracts.service_token import DEADLINE_HEADER
from knowledge.adapters.answering import Answering
from knowledge.adapters.question_cipher import QuestionCipher
from knowledge.answering.log import Asked, Logged, LoggedCitation, Original
from knowledge.api.answer_events import answer_stream
from knowledge.api.dependencies import Caller, WithResources, service_caller
from knowledge.api.failures import failure_error
from knowledge.api.parameters import AttemptPath
from knowledge.api.problems import PROBLEMS, problems
from knowledge.retrieval.searching import PassageDetail
from personal_data.masking import mask
from runtime.clock import business_day
from runtime.sealing import KeyRing
from runtime.sse import HEADERS, MEDIA_TYPE
from runtime.telemetry import adopt_attempt, current_trace_id

_DEADLINE_SECONDS: Final = 30.0
_NO_STORE: Final = {"Cache-Control": "no-store"}
_OTHER_CHANNEL: Final = "other"

router = APIRouter(tags=["answers"], responses=PROBLEMS)


def answering(request: Request) -> Answering:
    """Give what this process answers with."""
    found: Answering = request.app.state.answering
    return found


WithAnswering = Annotated[Answering, Depends(answering)]
ServiceCaller = Annotated[Caller, Depends(service_caller)]
_STREAM: Final[dict[int | str, dict[str, Any]]] = {  # OpenAPI is JSON
    200: {
        "description": "The events of the attempt, or as JSON how it ended",
        "content": {MEDIA_TYPE: {"schema": {"type": "string", "description": "KnowledgeEvent, one an event"}}},
    },
    **problems(502, 504),
}


@router.post("/v1/answers", summary="Answer a question", response_model=LoggedAnswer, responses=_STREAM)
async def post_answer(  # noqa: PLR0913, PLR0917 - FastAPI passes each by its name
    body: AnswerRequest,
    caller: ServiceCaller,
    held: WithAnswering,
    resources: WithResources,
    accept: Annotated[
        str, Header(description="`application/json` waits for the whole answer; anything else is given its events")
    ] = MEDIA_TYPE,
    milliseconds_left: Annotated[
        int | None,
        Header(
            alias=DEADLINE_HEADER,
            ge=0,
            description="How many milliseconds are left for this attempt; never more than 30,000 are taken",
            examples=[28_500],
        ),
    ] = None,
) -> Response:
    """Answer as `Accept` wishes: `text/event-stream` or `application/json`.

    Repeat: the same attempt id joins the running attempt or gives its logged end; nothing runs twice.
    """
    adopt_attempt(tenant=caller.claims.tenant, attempt_id=body.attempt_id)
    trace_id = current_trace_id()
    # Masking ten thousand characters takes a while; the other questions need not wait for it.
    asked = await held.compute(lambda: _asked(body, caller, trace_id, resources.ring))
    seconds = _DEADLINE_SECONDS if milliseconds_left is None else milliseconds_left / 1000
    ending = await held.attempts.take_up(asked, seconds=min(seconds, _DEADLINE_SECONDS))
    if "application/json" in accept:
        logged = await asyncio.shield(ending)
        return _whole(asked.attempt_id, logged)
    live = held.attempts.live(asked.attempt_id)
    return StreamingResponse(answer_stream(asked, ending, live=live), media_type=MEDIA_TYPE, headers=HEADERS)


@router.get("/v1/attempts/{attempt_id}", summary="Read how an attempt ended")
async def get_attempt(attempt_id: AttemptPath, caller: ServiceCaller, held: WithAnswering) -> LoggedAnswer:
    """Read an attempt as far as it came. Errors: NotFoundError when it never began here."""
    found = _attempt(attempt_id, caller)
    return _logged_answer(found, await _find(held, caller, found))


@router.get("/v1/attempts/{attempt_id}/citations/{index}", summary="Read a citation again")
async def get_citation(
    attempt_id: AttemptPath,
    index: Annotated[
        int, Path(ge=1, le=99, description="The citation, as the answer counts them from 1", examples=[1])
    ],
    caller: ServiceCaller,
    held: WithAnswering,
    resources: WithResources,
) -> CitedPassage:
    """Read the whole passage behind a citation, if this customer may still see it. Errors: NotFoundError."""
    logged = await _find(held, caller, _attempt(attempt_id, caller))
    cited = next((citation for citation in logged.citations if citation.view.index == index), None)
    if cited is None:
        raise NotFoundError
    detail = await held.searcher.read_passage(
        tenant=caller.claims.tenant,
        segments=caller.claims.segments,
        passage_id=cited.passage_id,
        today=business_day(resources.clock(), caller.tenant.time_zone),
    )
    if detail is None:
        raise NotFoundError
    return _cited_passage(cited, detail)


async def _find(held: Answering, caller: Caller, attempt_id: UUID) -> Logged:
    logged = await held.log.find(caller.claims.tenant, attempt_id)
    if logged is None:
        raise NotFoundError
    return logged


def _attempt(text: str, caller: Caller) -> UUID:
    """Read the attempt of a path. Errors: NotFoundError unless the token was minted for it."""
    if text != caller.claims.attempt_id:
        raise NotFoundError
    try:
        return parsed("att", text)
    except MalformedIdError as malformed:
        raise NotFoundError from malformed


def _asked(body: AnswerRequest, caller: Caller, trace_id: str, ring: KeyRing | None) -> Asked:
    """Put question, identity and knowledge of the day together; nothing personal goes further than here unencrypted."""
    if body.attempt_id != caller.claims.attempt_id:
        raise UnauthenticatedError
    if len(body.question) > QUESTION_MAX_CHARACTERS:
        raise InvalidRequestError(f"question: has more than {QUESTION_MAX_CHARACTERS} characters.")
    tenant = caller.tenant
    today = business_day(body.asked_at, tenant.time_zone)
    attempt_id = _id(body.attempt_id)
    return Asked(
        tenant=caller.claims.tenant,
        attempt_id=attempt_id,
        conversation_id=body.conversation_id,
        retry_of=_id(body.retry_of_attempt_id) if body.retry_of_attempt_id else None,
        segments=caller.claims.segments,
        masked_question=_clean(body.question),
        language=body.language,
        as_of=_not_later(body.as_of, today),
        today=today,
        asked_at=body.asked_at,
        facts={_clean(key): _clean(value) for key, value in body.facts.items()},
        typed_facts={_clean(key): _clean(value) for key, value in body.typed_facts.items()},
        earlier_questions=tuple(_clean(turn.question) for turn in body.earlier_turns),
        channel=body.channel if body.channel in tenant.channels else _OTHER_CHANNEL,
        trace_id=trace_id,
        original=_original(body.question, caller, attempt_id, ring),
    )


def _original(question: str, caller: Caller, attempt_id: UUID, ring: KeyRing | None) -> Original | None:
    return (
        None
        if ring is None
        else QuestionCipher(ring).seal(question, tenant=caller.claims.tenant, attempt_id=attempt_id)
    )


def _id(text: str) -> UUID:
    try:
        return parsed("att", text)
    except MalformedIdError as malformed:
        raise InvalidRequestError("attemptId: is not the id of an attempt.") from malformed


def _clean(text: str) -> str:
    """Mask personal data, and drop the one character that Postgres cannot keep."""
    return mask(text.replace("\0", " "))


def _not_later(as_of: date, today: date) -> date:
    if as_of > today:
        raise InvalidRequestError("asOf: is later than today.")
    return as_of


def _whole(attempt_id: UUID, logged: Logged) -> JSONResponse:
    """Give a closed attempt whole. Errors: the failure of the attempt."""
    if logged.failure is not None:
        raise failure_error(logged.failure)
    return JSONResponse(_logged_answer(attempt_id, logged).model_dump(mode="json"), headers=_NO_STORE)


def _logged_answer(attempt_id: UUID, logged: Logged) -> LoggedAnswer:
    status: AttemptStatus = "PENDING" if logged.is_open else "FAILED" if logged.failure else "COMPLETED"
    return LoggedAnswer(
        attempt_id=printed("att", attempt_id),
        status=status,
        outcome=logged.outcome,
        citations=tuple(citation.view for citation in logged.citations),
        failure_code=logged.failure,
        knowledge_version=logged.version,
        documents=logged.documents,
        areas=logged.areas,
    )


def _cited_passage(cited: LoggedCitation, detail: PassageDetail) -> CitedPassage:
    passage, view = detail.passage, cited.view
    return CitedPassage(
        index=view.index,
        title=passage.title,
        section=passage.section,
        heading_path=passage.heading_path,
        revision=passage.revision,
        effective_from=passage.effective_from,
        effective_to=passage.effective_to,
        updated_at=passage.updated_at,
        passage=passage.text,
        quote=view.quote,
        quote_start=cited.start,
        quote_end=cited.end,
        source_url=passage.source_url,
        replaced_by=detail.replaced_by,
        withdrawn_at=detail.withdrawn_at,
    )
