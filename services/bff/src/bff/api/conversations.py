"""Open, read and erase conversations."""

from fastapi import APIRouter, Response

from bff.api.edge import ConversationId, CurrentCustomer, CurrentEdge, IdempotencyKey
from bff.api.problems import problems
from bff.attempts.store import AttemptStore
from bff.attempts.view import attempt_view
from bff.conversations.opening import open_conversation
from bff.conversations.store import ConversationStore
from bff.escalations.escalation import escalation_view
from bff.escalations.store import EscalationStore
from contracts.customer import Conversation
from contracts.ids import printed

router = APIRouter(tags=["conversations"])


@router.post("/conversations", operation_id="openConversation", status_code=201, responses=problems(401, 429))
async def post_conversation(
    customer: CurrentCustomer, edge: CurrentEdge, response: Response, idempotency_key: IdempotencyKey = None
) -> Conversation:
    """Open a conversation of one's own. A repeat gives the conversation as it was opened: without attempts."""
    clients = edge.clients
    async with clients.database.transaction(customer.tenant) as connection:
        store = ConversationStore(connection, tenant=customer.tenant, customer=customer.customer)
        opened = await open_conversation(clients.new_id(), channel=customer.channel, key=idempotency_key, ledger=store)
    if opened.is_repeat:
        response.headers["Idempotent-Replayed"] = "true"
    conversation_id = printed("cnv", opened.conversation.conversation_id)
    return Conversation(conversation_id=conversation_id, attempts=(), escalation=None)


@router.get("/conversations/{conversation_id}", operation_id="readConversation", responses=problems(401, 404))
async def read_conversation(
    customer: CurrentCustomer, conversation_id: ConversationId, edge: CurrentEdge
) -> Conversation:
    """Read a conversation with all its attempts exactly as they were streamed."""
    async with edge.clients.database.transaction(customer.tenant) as connection:
        whose = {"tenant": customer.tenant, "customer": customer.customer}
        await ConversationStore(connection, **whose).find(conversation_id)
        store = AttemptStore(connection, **whose)
        attempts = await store.find_all(conversation_id)
        judgements = await store.judgements([attempt.attempt_id for attempt in attempts])
        escalation = await EscalationStore(connection, **whose).newest(conversation_id)
    return Conversation(
        conversation_id=printed("cnv", conversation_id),
        attempts=tuple(attempt_view(attempt, judgements.get(attempt.attempt_id)) for attempt in attempts),
        escalation=None if escalation is None else escalation_view(escalation),
    )


@router.delete(
    "/conversations/{conversation_id}",
    operation_id="eraseConversation",
    status_code=204,
    response_description="It is erased here; elsewhere that follows within seconds",
    responses=problems(401, 404),
)
async def erase_conversation(customer: CurrentCustomer, conversation_id: ConversationId, edge: CurrentEdge) -> None:
    """Erase a conversation with all that was said in it, here and wherever it was told.

    Attempts, judgements, escalations, messages and event logs go at once; answer log, review and tickets follow.
    """
    await edge.eraser.erase_conversation(
        tenant=customer.tenant, customer=customer.customer, conversation_id=conversation_id
    )
