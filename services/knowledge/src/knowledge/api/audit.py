"""The audit trail: who did what, newest first."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import AwareDatetime

from contracts.model import Outgoing
from knowledge.api.dependencies import WithResources
from knowledge.api.places import storable
from knowledge.api.problems import PROBLEMS
from knowledge.api.roles import Examiner
from knowledge.versions.acts import Act, AuditEvent
from knowledge.versions.store.audit import Wanted, list_acts
from runtime.paging import PageSize

router = APIRouter(prefix="/v1/staff/audit", tags=["audit"], responses=PROBLEMS)

_LARGEST_NUMBER = 9_223_372_036_854_775_807


class AuditEventView(Outgoing):
    """An act of a member of staff, or of a worker for whoever started it."""

    number: int
    at: datetime
    actor: str
    roles: tuple[str, ...]
    act: str
    subject: str
    detail: dict[str, str | int | bool | tuple[str, ...] | None]


class AuditPage(Outgoing):
    """A page of acts, newest first."""

    items: tuple[AuditEventView, ...]
    next_cursor: str | None


@router.get("", summary="Read the audit trail")
async def get_audit(  # noqa: PLR0913, PLR0917 - FastAPI reads every argument by its name
    staff: Examiner,
    held: WithResources,
    subject: Annotated[
        str, Query(max_length=300, description="Only what was done to this: as events name it", examples=["version:3"])
    ] = "",
    act: Annotated[Act | None, Query(description="Only acts of this kind")] = None,
    actor: Annotated[
        str,
        Query(
            max_length=300,
            description="Only what this member of staff did: the `sub` of their token",
            examples=["li.na"],
        ),
    ] = "",
    since: Annotated[
        AwareDatetime | None,
        Query(
            description="Only what was done at this moment or later, with its offset", examples=["2026-11-01T00:00:00Z"]
        ),
    ] = None,
    until: Annotated[
        AwareDatetime | None,
        Query(description="Only what was done before this moment, with its offset", examples=["2026-12-01T00:00:00Z"]),
    ] = None,
    cursor: Annotated[
        int | None, Query(ge=1, le=_LARGEST_NUMBER, description="The `nextCursor` of the page before", examples=[4711])
    ] = None,
    limit: PageSize = 50,
) -> AuditPage:
    """List acts, newest first; every condition that is given holds."""
    wanted = Wanted(
        subject=storable("subject", subject) or None,
        act=act,
        actor=storable("actor", actor) or None,
        since=since,
        until=until,
    )
    async with held.database.transaction(staff.claims.tenant) as connection:
        found = await list_acts(connection, before=cursor, limit=limit + 1, wanted=wanted)
    items = tuple(_view(each) for each in found[:limit])
    return AuditPage(items=items, next_cursor=str(items[-1].number) if len(found) > limit else None)


def _view(event: AuditEvent) -> AuditEventView:
    return AuditEventView.model_validate(event, from_attributes=True)
