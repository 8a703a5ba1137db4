"""Ask for a person, and see where the wish stands."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Header, Response
from fastapi.responses import JSONResponse

from bff.adapters.measures import count_escalation
from bff.adapters.records import read_story
from bff.api.edge import (
    AttemptId,
    ConversationId,
    CurrentCustomer,
    CurrentEdge,
    EscalationId,
    RequiredIdempotencyKey,
    request_key,
)
from bff.api.problems import problems
from bff.attempts.judging import check_completed
from bff.attempts.store import AttemptStore
from bff.escalations.escalation import entity_tag, escalation_view, names_tag
from bff.escalations.opening import Wish, escalate
from bff.escalations.store import EscalationStore
from contracts.customer import Escalation, EscalationRequest
from contracts.errors import NotFoundError

router = APIRouter(prefix="/conversations/{conversation_id}", tags=["escalations"])


@router.post(
    "/attempts/{attempt_id}/escalations",
    operation_id="escalateAttempt",
    status_code=201,
    response_model=Escalation,
    responses={200: {"model": Escalation, "description": "The one that was open already"}, **problems(401, 404, 409)},
)
async def escalate_attempt(  # noqa: PLR0913 - FastAPI hands the parts of a request over one by one
    *,
    customer: CurrentCustomer,
    conversation_id: ConversationId,
    attempt_id: AttemptId,
    body: EscalationRequest,
    idempotency_key: RequiredIdempotencyKey,
    edge: CurrentEdge,
) -> Response:
    """Ask for a person about a COMPLETED attempt. A conversation has one open escalation, whatever the key."""
    clients = edge.clients
    async with clients.database.transaction(customer.tenant) as connection:
        whose = {"tenant": customer.tenant, "customer": customer.customer}
        attempt = await AttemptStore(connection, **whose).find(conversation_id, attempt_id)
        check_completed(attempt)
        wish = Wish(
            escalation_id=clients.new_id(),
            origin="customer",
            attempt=attempt,
            note=body.note,
            request=request_key("escalate", idempotency_key, target=(conversation_id, attempt_id), body=body),
            wished_at=clients.clock(),
        )
        ledger = EscalationStore(connection, **whose)
        escalated = await escalate(wish, ledger=ledger, tell=partial(read_story, connection, contact=customer.contact))
    count_escalation(attempt, wish.origin, is_new=escalated.is_new)
    headers = {"Idempotent-Replayed": "true"} if escalated.is_repeat else {}
    view = escalation_view(escalated.escalation).model_dump(mode="json")
    return JSONResponse(view, 201 if escalated.is_new else 200, headers)


@router.get(
    "/escalations/{escalation_id}",
    operation_id="readEscalation",
    response_model=Escalation,
    responses={304: {"description": "Nothing changed since `If-None-Match`"}, **problems(401, 404)},
)
async def read_escalation(
    customer: CurrentCustomer,
    conversation_id: ConversationId,
    escalation_id: EscalationId,
    edge: CurrentEdge,
    if_none_match: Annotated[
        str | None,
        Header(description="The `ETag` of what was read before", examples=['"01932f7a6b2c7d3e8f90a1b2c3d4e5f6-2"']),
    ] = None,
) -> Response:
    """Read where the wish for a person stands."""
    async with edge.clients.database.transaction(customer.tenant) as connection:
        store = EscalationStore(connection, tenant=customer.tenant, customer=customer.customer)
        escalation = await store.find(conversation_id, escalation_id)
    if escalation is None:
        raise NotFoundError
    tag = entity_tag(escalation)
    if names_tag(if_none_match, tag):
        return Response(status_code=304, headers={"ETag": tag})
    return JSONResponse(escalation_view(escalation).model_dump(mode="json"), headers={"ETag": tag})
