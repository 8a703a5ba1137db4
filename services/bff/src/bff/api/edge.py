"""Hold what a request may use, and read who asks and what for."""

import hashlib
import json
from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Header, Path, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, StringConstraints

from bff.adapters.clients import Clients
from bff.adapters.customers import Customer, GuestIssuer
from bff.adapters.erasing import Eraser
from bff.adapters.event_feed import EventFeed
from bff.adapters.running_attempts import RunningAttempts
from bff.adapters.stream_tokens import StreamTokens
from bff.adapters.tenant_tokens import TenantIssuers
from bff.api.limiting import Limiting
from bff.attempts.attempt import RequestKey
from contracts.errors import ForbiddenError, NotFoundError, UnauthenticatedError
from contracts.ids import MalformedIdError, Prefix, parsed
from contracts.tenants import Tenant
from runtime.telemetry import adopt_attempt
from runtime.tokens import Keys, key_id_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """What the handlers of this process share."""

    clients: Clients
    feed: EventFeed
    running: RunningAttempts
    guests: GuestIssuer
    stream_tokens: StreamTokens
    issuers: TenantIssuers
    limiting: Limiting
    staff_keys: Keys
    eraser: Eraser

    async def customer_of(self, token: str) -> Customer:
        """Check a token: the key it names says whose it is. Errors: UnauthenticatedError, UnavailableError."""
        if self.guests.issued(key_id_of(token)):
            return self.guests.customer_of(token)
        return await self.issuers.customer_of(token)

    def tenant_of(self, customer: Customer) -> Tenant:
        """Give the customer's tenant. Errors: UnauthenticatedError when it is gone."""
        tenant = self.clients.tenants.find(customer.tenant)
        if tenant is None:
            raise UnauthenticatedError
        return tenant


async def edge_of(request: Request) -> Edge:
    """Give what this process's handlers share."""
    edge = request.app.state.edge
    assert isinstance(edge, Edge)  # noqa: S101 - the lifespan put it there
    return edge


CurrentEdge = Annotated[Edge, Depends(edge_of)]

_bearer = HTTPBearer(auto_error=False, scheme_name="customer", description="A guest token, or a customer's own")


Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]


async def current_customer(request: Request, edge: CurrentEdge, credentials: Credentials) -> Customer:
    """Read who asks from the bearer token, and count the call.

    Errors: UnauthenticatedError; ForbiddenError on a page of another origin; RateLimitedError past a limit.
    """
    if credentials is None:
        raise UnauthenticatedError
    return await admitted(request, edge, await edge.customer_of(credentials.credentials))


async def admitted(request: Request, edge: Edge, customer: Customer) -> Customer:
    """Let somebody in whose token was checked, and count the call. Errors: as `current_customer`."""
    tenant = edge.tenant_of(customer)
    check_origin(request, tenant)
    await edge.limiting.count_call(request, customer, tenant)
    return customer


def check_origin(request: Request, tenant: Tenant) -> None:
    """Refuse pages of origins that are not on the tenant's list; who is no browser sends none. Errors: ForbiddenError."""
    origin = request.headers.get("origin")
    if origin is None or origin in tenant.allowed_origins:
        return
    host = request.headers.get("host")
    if not host or origin not in (f"http://{host}", f"https://{host}"):
        raise ForbiddenError


CurrentCustomer = Annotated[Customer, Depends(current_customer)]


def _id_or_nothing(prefix: Prefix, text: str) -> UUID:
    try:
        return parsed(prefix, text)
    except MalformedIdError as malformed:
        raise NotFoundError from malformed


async def read_conversation_id(
    conversation_id: Annotated[
        str, Path(description="The conversation, of the customer's own", examples=["cnv_0197…"])
    ],
) -> UUID:
    """Read the conversation of the path. Errors: NotFoundError when malformed, like a foreign one."""
    return _id_or_nothing("cnv", conversation_id)


AttemptIdText = Annotated[str, Path(description="The attempt, of this conversation", examples=["att_0197…"])]


# Not a plain function: those run in a thread, where naming the attempt would be lost.
async def read_attempt_id(attempt_id: AttemptIdText, customer: CurrentCustomer) -> UUID:
    """Read the attempt of the path and name it in traces and logs. Errors: NotFoundError when malformed."""
    return named_attempt(attempt_id, customer)


def named_attempt(attempt_id: str, customer: Customer) -> UUID:
    """Read the id of an attempt and name it in traces and logs. Errors: NotFoundError when malformed."""
    parsed_id = _id_or_nothing("att", attempt_id)
    adopt_attempt(tenant=customer.tenant, attempt_id=attempt_id)
    return parsed_id


async def read_escalation_id(
    escalation_id: Annotated[str, Path(description="The escalation, of this conversation", examples=["esc_0197…"])],
) -> UUID:
    """Read the escalation of the path. Errors: NotFoundError when malformed, like a foreign one."""
    return _id_or_nothing("esc", escalation_id)


ConversationId = Annotated[UUID, Depends(read_conversation_id)]
AttemptId = Annotated[UUID, Depends(read_attempt_id)]
EscalationId = Annotated[UUID, Depends(read_escalation_id)]

Key = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[\x21-\x7e]+$")]
IdempotencyKey = Annotated[
    Key | None,
    Header(
        alias="Idempotency-Key",
        description="Names this request: a repeat with the same content gives the first result, other content is a 409",
        examples=["01932f7a6b2c7d3e8f90a1b2c3d4e5f6"],
    ),
]
RequiredIdempotencyKey = Annotated[
    Key,
    Header(
        alias="Idempotency-Key",
        description="Names this request: a repeat gives the first result",
        examples=["01932f7a6b2c7d3e8f90a1b2c3d4e5f6"],
    ),
]


def request_key(route: str, key: str | None, *, target: tuple[UUID, ...], body: BaseModel | None) -> RequestKey | None:
    """Describe a POST for comparison with a later one; None without a key."""
    if key is None:
        return None
    content = [[each.hex for each in target], None if body is None else body.model_dump(mode="json")]
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return RequestKey(route=route, key=key, content_hash=digest)
