"""Ask, and ask again."""

from dataclasses import replace
from uuid import UUID

from fastapi import APIRouter, Request, Response
from sqlalchemy.ext.asyncio import AsyncConnection

from bff.adapters.customers import Customer
from bff.adapters.measures import count_open
from bff.api.answering import answer, check_streamable, wants_stream
from bff.api.edge import AttemptId, ConversationId, CurrentCustomer, CurrentEdge, Edge, IdempotencyKey, request_key
from bff.api.problems import Responses, problems
from bff.attempts.asking import Opened, check_as_of, detected_language, open_attempt
from bff.attempts.attempt import Assignment, Attempt, NewAttempt, RequestKey, Turn
from bff.attempts.retrying import check_retry, retried_as_of
from bff.attempts.store import AttemptStore
from bff.conversations.store import ConversationStore
from bff.escalations.store import EscalationStore
from contracts import customer as bodies
from contracts.ids import printed
from runtime.clock import business_day
from runtime.telemetry import adopt_attempt, current_trace_id

router = APIRouter(tags=["attempts"])

_ANSWERS: Responses = {
    200: {"model": bodies.Attempt, "description": "The attempt is COMPLETED: an answer or a refusal"},
    202: {"model": bodies.Attempt, "description": "The attempt is still PENDING: read it, or attach to its events"},
    **problems(401, 404, 409, 429, 502, 504),
}


@router.post("/conversations/{conversation_id}/attempts", operation_id="ask", responses=_ANSWERS)
async def ask(  # noqa: PLR0913 - FastAPI hands the parts of a request over one by one
    *,
    customer: CurrentCustomer,
    conversation_id: ConversationId,
    body: bodies.Ask,
    request: Request,
    edge: CurrentEdge,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Ask a question. `Accept: application/json` waits up to 30 s; `text/event-stream` streams the attempt."""
    await _check_promise(edge, request)
    key = request_key("ask", idempotency_key, target=(conversation_id,), body=body)
    with edge.running.opening(may_be_repeat=key is not None) as has_place:
        new = _asked(edge, customer, conversation_id, body, key)
        adopt_attempt(tenant=new.tenant, attempt_id=printed("att", new.attempt_id))
        async with edge.clients.database.transaction(customer.tenant) as connection:
            whose = {"tenant": customer.tenant, "customer": customer.customer}
            await ConversationStore(connection, **whose).find(conversation_id)
            opened, history = await _open(edge, connection, new, has_room=has_place)
    return await _started(edge, request, opened, history, lease_holder=new.lease_holder)


@router.post(
    "/conversations/{conversation_id}/attempts/{attempt_id}/retry", operation_id="retryAttempt", responses=_ANSWERS
)
async def retry_attempt(  # noqa: PLR0913 - FastAPI hands the parts of a request over one by one
    *,
    customer: CurrentCustomer,
    conversation_id: ConversationId,
    attempt_id: AttemptId,
    request: Request,
    edge: CurrentEdge,
    idempotency_key: IdempotencyKey = None,
) -> Response:
    """Answer the original question again as a new attempt, at most three times. Answers like an ask."""
    await _check_promise(edge, request)
    key = request_key("retry", idempotency_key, target=(conversation_id, attempt_id), body=None)
    with edge.running.opening(may_be_repeat=key is not None) as has_place:
        async with edge.clients.database.transaction(customer.tenant) as connection:
            store = AttemptStore(connection, tenant=customer.tenant, customer=customer.customer)
            original = await store.find(conversation_id, attempt_id)
            await store.lock_lineage(original.lineage_id)
            new = _retried(edge, customer, original, key)
            adopt_attempt(tenant=new.tenant, attempt_id=printed("att", new.attempt_id))
            if key is None or await store.find_by_request(key) is None:
                check_retry(original, retries=len(await store.lineage(original.lineage_id)) - 1)
            opened, history = await _open(edge, connection, new, has_room=has_place)
    return await _started(edge, request, opened, history, lease_holder=new.lease_holder)


async def _check_promise(edge: Edge, request: Request) -> None:
    # The caller learns that a stream cannot be had before anything is stored.
    if wants_stream(request):
        await check_streamable(edge)


def _asked(
    edge: Edge, customer: Customer, conversation_id: UUID, body: bodies.Ask, key: RequestKey | None
) -> NewAttempt:
    tenant = edge.tenant_of(customer)
    now = edge.clients.clock()
    today = business_day(now, tenant.time_zone)
    attempt_id = edge.clients.new_id()
    return NewAttempt(
        attempt_id=attempt_id,
        tenant=customer.tenant,
        customer=customer.customer,
        channel=customer.channel,
        conversation_id=conversation_id,
        retry_of_attempt_id=None,
        lineage_id=attempt_id,
        question=body.question,
        language=body.language or detected_language(body.question),
        as_of=check_as_of(body.as_of, today=today, past_dates=tenant.past_dates),
        asked_at=now,
        segments=customer.segments,
        facts=customer.facts,
        typed_facts=body.facts,
        trace_id=current_trace_id(),
        lease_holder=edge.clients.new_id(),
        request=key,
        contact=customer.contact,
    )


def _retried(edge: Edge, customer: Customer, original: Attempt, key: RequestKey | None) -> NewAttempt:
    time_zone = edge.tenant_of(customer).time_zone
    now = edge.clients.clock()
    asked_on = business_day(original.asked_at, time_zone)
    asked_again = bodies.Ask(question=original.question, language=original.language, facts=original.typed_facts)
    new = _asked(edge, customer, original.conversation_id, asked_again, key)
    return replace(
        new,
        as_of=retried_as_of(original, asked_on=asked_on, today=business_day(now, time_zone)),
        retry_of_attempt_id=original.attempt_id,
        lineage_id=original.lineage_id,
    )


async def _open(
    edge: Edge, connection: AsyncConnection, new: NewAttempt, *, has_room: bool
) -> tuple[Opened, tuple[Turn, ...]]:
    whose = {"tenant": new.tenant, "customer": new.customer}
    ledger = AttemptStore(connection, **whose)
    opened = await open_attempt(
        new,
        ledger=ledger,
        persons=EscalationStore(connection, **whose),
        has_room=has_room,
        running_limit=edge.clients.settings.running_attempts_per_customer,
    )
    return opened, await ledger.history(new.conversation_id, before=opened.attempt.attempt_id)


async def _started(
    edge: Edge, request: Request, opened: Opened, history: tuple[Turn, ...], *, lease_holder: UUID
) -> Response:
    attempt = opened.attempt
    kind = "ask" if attempt.retry_of_attempt_id is None else "retry"
    count_open("repeat" if opened.is_repeat else kind, attempt.channel)
    if opened.is_repeat:
        adopt_attempt(tenant=attempt.tenant, attempt_id=printed("att", attempt.attempt_id))
    else:
        edge.running.start(Assignment(attempt=attempt, lease_holder=lease_holder, history=history))
    return await answer(edge, request, opened)
