"""Read, follow and cancel attempts, and open what they cite."""

from typing import Annotated

from fastapi import APIRouter, Header, Path, Response

from bff.adapters.measures import count_citation, count_open, count_outcome
from bff.api.answering import check_streamable, find_attempt, read_again, stream
from bff.api.edge import AttemptId, ConversationId, CurrentCustomer, CurrentEdge, Edge
from bff.api.problems import problems
from bff.api.stream_tokens import CurrentReader, FollowedId
from bff.attempts.attempt import Attempt, Completed, Failed
from bff.attempts.ending import end_attempt
from bff.attempts.failures import CancelledAttemptError, failed
from bff.attempts.store import AttemptStore
from bff.attempts.view import attempt_view
from contracts import customer as bodies
from contracts.answers import CitedPassage
from contracts.errors import NotFoundError
from contracts.stream import AttemptEvent

router = APIRouter(prefix="/conversations/{conversation_id}/attempts/{attempt_id}", tags=["attempts"])


@router.get("", operation_id="readAttempt", responses=problems(401, 404))
async def read_attempt(
    customer: CurrentCustomer, conversation_id: ConversationId, attempt_id: AttemptId, edge: CurrentEdge
) -> bodies.Attempt:
    """Read where an attempt stands. A FAILED one carries its `failureCode` and no text."""
    attempt = await find_attempt(edge, customer, conversation_id, attempt_id)
    return attempt_view(*await read_again(edge, attempt))


@router.get(
    "/events",
    operation_id="followAttempt",
    responses={204: {"description": "Everything was heard already"}, **problems(401, 404)},
)
async def follow_attempt(
    reader: CurrentReader,
    conversation_id: ConversationId,
    attempt_id: FollowedId,
    edge: CurrentEdge,
    last_event_id: Annotated[
        str | None,
        Header(
            alias="Last-Event-ID",
            pattern=r"^[0-9]{0,9}$",
            description="The `id` of the last event that was heard",
            examples=["3"],
        ),
    ] = None,
) -> Response:
    """Attach to the events of an attempt, from the one after `Last-Event-ID` on; equal ids and data at every read."""
    after = int(last_event_id or 0)
    attempt = await find_attempt(edge, reader, conversation_id, attempt_id)
    count_open("reattach", attempt.channel)
    if attempt.events is None:
        await check_streamable(edge)
    elif after >= len(attempt.events):
        return Response(status_code=204, headers={"Cache-Control": "no-store"})
    return stream(edge, attempt, after=after, headers={})


@router.post("/cancel", operation_id="cancelAttempt", responses=problems(401, 404))
async def cancel_attempt(
    customer: CurrentCustomer, conversation_id: ConversationId, attempt_id: AttemptId, edge: CurrentEdge
) -> bodies.Attempt:
    """End a PENDING attempt as FAILED / CANCELLED. Repeat, and after its end: gives the attempt as it is."""
    attempt = await find_attempt(edge, customer, conversation_id, attempt_id)
    if attempt.status == "PENDING":
        await _cancel(edge, attempt)
    return attempt_view(*await read_again(edge, attempt))


@router.get("/citations/{index}", operation_id="readCitation", responses=problems(401, 404))
async def read_citation(
    customer: CurrentCustomer,
    conversation_id: ConversationId,
    attempt_id: AttemptId,
    index: Annotated[str, Path(description="The index of the citation, as the answer counts them", examples=["1"])],
    edge: CurrentEdge,
) -> CitedPassage:
    """Read the whole cited passage with the place of the quote in it. Access is checked again at every read."""
    attempt = await find_attempt(edge, customer, conversation_id, attempt_id)
    if index not in {str(citation.index) for citation in attempt.citations}:
        raise NotFoundError
    passage = await edge.clients.knowledge.cited_passage(attempt, int(index), segments=customer.segments)
    count_citation(attempt, passage)
    return passage


async def _cancel(edge: Edge, attempt: Attempt) -> None:
    async def close(final: Completed | Failed, events: tuple[AttemptEvent, ...]) -> bool:
        async with edge.clients.database.transaction(attempt.tenant) as connection:
            store = AttemptStore(connection, tenant=attempt.tenant, customer=attempt.customer)
            return await store.cancel(attempt.attempt_id, final, events)

    cancelled = failed(CancelledAttemptError())
    if await end_attempt(attempt, cancelled, log=edge.clients.event_log, close=close):
        edge.running.stop(attempt.attempt_id)
        count_outcome(attempt, cancelled)
