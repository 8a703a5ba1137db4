"""Let guests in: a token of a tenant's public channel."""

from fastapi import APIRouter, Request

from bff.adapters.customers import TOKEN_TYPE
from bff.api.edge import CurrentEdge, check_origin
from bff.api.problems import problems
from contracts.customer import SessionRequest, SessionToken
from contracts.errors import InvalidRequestError, NotFoundError

router = APIRouter(tags=["sessions"])


@router.post("/sessions", operation_id="openSession", status_code=201, responses=problems(403, 404, 429))
async def open_session(body: SessionRequest, request: Request, edge: CurrentEdge) -> SessionToken:
    """Give a guest token. Limited by address; pages of other origins must be on the tenant's list."""
    tenant = edge.clients.tenants.find(body.tenant)
    if tenant is None:
        raise NotFoundError
    if body.channel not in tenant.channels:
        raise InvalidRequestError("channel: not one of this tenant's channels.")
    check_origin(request, tenant)
    await edge.limiting.count_session(request, body.tenant)
    guest = edge.guests.issue(tenant=body.tenant, channel=body.channel)
    return SessionToken(token=guest.token, token_type=TOKEN_TYPE, expires_at=guest.expires_at)
