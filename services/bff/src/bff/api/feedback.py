"""Judge attempts."""

from uuid import UUID

from fastapi import APIRouter

from bff.adapters.measures import count_feedback
from bff.api.edge import AttemptId, ConversationId, CurrentCustomer, CurrentEdge
from bff.api.problems import problems
from bff.attempts.judging import check_completed
from bff.attempts.store import AttemptStore
from contracts.customer import Feedback
from contracts.errors import NotFoundError

router = APIRouter(prefix="/conversations/{conversation_id}/attempts/{attempt_id}", tags=["feedback"])


@router.put("/feedback", operation_id="judgeAttempt", responses=problems(401, 404, 409))
async def judge_attempt(
    customer: CurrentCustomer,
    conversation_id: ConversationId,
    attempt_id: AttemptId,
    body: Feedback,
    edge: CurrentEdge,
) -> Feedback:
    """Judge a COMPLETED attempt, or correct the judgement. It stays on the attempt it judged."""
    async with edge.clients.database.transaction(customer.tenant) as connection:
        store = AttemptStore(connection, tenant=customer.tenant, customer=customer.customer)
        attempt = await store.find(conversation_id, attempt_id)
        check_completed(attempt)
        is_first = await store.judge(attempt, body)
    count_feedback(attempt, body, is_first=is_first)
    return body


@router.get("/feedback", operation_id="readFeedback", responses=problems(401, 404))
async def read_feedback(
    customer: CurrentCustomer, conversation_id: ConversationId, attempt_id: AttemptId, edge: CurrentEdge
) -> Feedback:
    """Read one's own judgement back."""
    async with edge.clients.database.transaction(customer.tenant) as connection:
        store = AttemptStore(connection, tenant=customer.tenant, customer=customer.customer)
        await store.find(conversation_id, attempt_id)
        return _given(await store.judgements([attempt_id]), attempt_id)


def _given(judgements: dict[UUID, Feedback], attempt_id: UUID) -> Feedback:
    if attempt_id not in judgements:
        raise NotFoundError
    return judgements[attempt_id]
