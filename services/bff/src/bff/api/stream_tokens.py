"""Let a reader in by a stream token in the address, and keep the token out of everything that notes addresses."""

from typing import Annotated, Final
from urllib.parse import parse_qsl, urlencode
from uuid import UUID

from fastapi import APIRouter, Depends, Request
from fastapi.security import APIKeyQuery
from starlette.types import ASGIApp, Receive, Scope, Send

from bff.adapters.customers import Customer
from bff.api.answering import find_attempt
from bff.api.edge import (
    AttemptId,
    AttemptIdText,
    ConversationId,
    Credentials,
    CurrentCustomer,
    CurrentEdge,
    admitted,
    current_customer,
    named_attempt,
)
from bff.api.headers import API
from bff.api.problems import problems
from contracts.customer import StreamToken
from contracts.ids import printed

router = APIRouter(prefix="/conversations/{conversation_id}/attempts/{attempt_id}", tags=["attempts"])

_NAME: Final = "streamToken"
_TOKEN: Final = "youju.stream_token"  # noqa: S105 - the name of a place, not a token
_in_query = APIKeyQuery(
    name=_NAME, auto_error=False, scheme_name=_NAME, description="A stream token, for readers that send no header"
)


@router.post("/stream-token", operation_id="openStream", status_code=201, responses=problems(401, 404))
async def open_stream(
    customer: CurrentCustomer, conversation_id: ConversationId, attempt_id: AttemptId, edge: CurrentEdge
) -> StreamToken:
    """Give a token for `…/events?streamToken=`, for an `EventSource`: it lives for 60 seconds, for this attempt alone.

    A stream that was opened with it goes on after its end; to attach again later, ask for another.
    """
    attempt = await find_attempt(edge, customer, conversation_id, attempt_id)
    token, expires_at = edge.stream_tokens.issue(customer, printed("att", attempt.attempt_id))
    return StreamToken(token=token, expires_at=expires_at)


async def current_reader(
    request: Request,
    attempt_id: AttemptIdText,
    edge: CurrentEdge,
    credentials: Credentials,
    _documented: Annotated[str | None, Depends(_in_query)],
) -> Customer:
    """Read who follows an attempt, from the bearer token or from the stream token of the address.

    Errors: as `current_customer`.
    """
    token = request.scope.get(_TOKEN)
    if token is None or credentials is not None:
        return await current_customer(request, edge, credentials)
    return await admitted(request, edge, edge.stream_tokens.customer_of(token, attempt_id))


CurrentReader = Annotated[Customer, Depends(current_reader)]


async def read_followed_id(attempt_id: AttemptIdText, reader: CurrentReader) -> UUID:
    """Read the attempt of the path for its reader. Errors: NotFoundError when malformed."""
    return named_attempt(attempt_id, reader)


FollowedId = Annotated[UUID, Depends(read_followed_id)]


class StreamTokenQuery:
    """Takes stream tokens out of the address before spans, logs and problems see it."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, its token beside its address."""
        if scope["type"] == "http" and scope["path"].startswith(API) and _NAME.encode() in scope["query_string"]:
            given = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
            others = [(name, value) for name, value in given if name != _NAME]
            tokens = [value for name, value in given if name == _NAME]
            scope = {**scope, "query_string": urlencode(others).encode()}
            if tokens:
                scope[_TOKEN] = tokens[-1]
        await self._app(scope, receive, send)
