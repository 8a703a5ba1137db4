"""What was masked in a version, and which single values its owners let stay from the next import on."""

from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, ConfigDict, Field

from contracts.model import Outgoing
from knowledge.api.dependencies import WithResources, acting
from knowledge.api.parameters import VersionNumber
from knowledge.api.places import cursor_of, read_cursor, storable
from knowledge.api.problems import PROBLEMS
from knowledge.api.roles import Owner, Reader
from knowledge.ingestion.placed_masks import MaskedField
from knowledge.versions.store.masks import (
    ListedMask,
    MaskPlace,
    allow,
    end_allowance,
    list_allowances,
    list_masks,
)
from runtime.paging import PageSize

router = APIRouter(prefix="/v1/staff", tags=["masks"], responses=PROBLEMS)

_HASH: Final = "^[0-9a-f]{64}$"
_LONGEST_CURSOR: Final = 2_000

ValueHash = Annotated[
    str,
    Path(
        pattern=_HASH,
        description="The value: the `hash` that masks are listed with, 64 hexadecimal digits",
        examples=["9f" * 32],
    ),
]


class MaskView(Outgoing):
    """A place where personal data stood, in characters of the masked field. Equal hashes stand for equal values.

    `field` is `text`, or what of the record people write freely; the places in `tags` are those of the tags joined by
    a comma and a blank.
    """

    slug: str
    label: str
    field: MaskedField
    kind: str
    start: int
    end: int
    hash: str
    allowed: bool
    context: str


class MaskPage(Outgoing):
    """A page of masks by document and place."""

    items: tuple[MaskView, ...]
    next_cursor: str | None


class AllowanceView(Outgoing):
    """A value that stays from the next import on."""

    hash: str
    allowed_by: str
    allowed_at: datetime


class AllowancePage(Outgoing):
    """A page of allowances by hash."""

    items: tuple[AllowanceView, ...]
    next_cursor: str | None


class _Cursor(BaseModel):
    model_config = ConfigDict(hide_input_in_errors=True)

    slug: str
    revision: UUID
    field: MaskedField
    start: int = Field(ge=0, le=2_147_483_647)


@router.get("/versions/{number}/masks", summary="List what was masked in a version")
async def get_masks(
    number: VersionNumber,
    staff: Reader,
    held: WithResources,
    cursor: Annotated[str, Query(max_length=_LONGEST_CURSOR, description="The `nextCursor` of the page before")] = "",
    limit: PageSize = 50,
) -> MaskPage:
    """List masks with the masked text around them; the value itself is kept nowhere."""
    after = _place(cursor) if cursor else None
    async with held.database.transaction(staff.claims.tenant) as connection:
        found = await list_masks(connection, version_number=number, after=after, limit=limit + 1)
    more = len(found) > limit
    return MaskPage(
        items=tuple(_view(each) for each in found[:limit]), next_cursor=_cursor(found[limit - 1]) if more else None
    )


@router.get("/mask-allowances", summary="List which values may stay")
async def get_allowances(
    staff: Reader,
    held: WithResources,
    cursor: Annotated[str, Query(max_length=64, description="The `nextCursor` of the page before")] = "",
    limit: PageSize = 50,
) -> AllowancePage:
    """List allowances by hash."""
    place = storable("cursor", cursor)
    async with held.database.transaction(staff.claims.tenant) as connection:
        found = await list_allowances(connection, after=place, limit=limit + 1)
    items = tuple(
        AllowanceView(hash=each.value_hash, allowed_by=each.allowed_by, allowed_at=each.allowed_at)
        for each in found[:limit]
    )
    return AllowancePage(items=items, next_cursor=items[-1].hash if len(found) > limit else None)


@router.put("/mask-allowances/{value_hash}", summary="Let a value stay")
async def put_allowance(value_hash: ValueHash, staff: Owner, held: WithResources) -> AllowanceView:
    """Let a value stay from the next import on; published texts do not change. A repeat changes nothing."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        kept = await allow(connection, acting(staff), value_hash=value_hash)
    return AllowanceView(hash=kept.value_hash, allowed_by=kept.allowed_by, allowed_at=kept.allowed_at)


@router.delete(
    "/mask-allowances/{value_hash}",
    status_code=204,
    response_description="The value is masked from the next import on",
    summary="Mask a value again",
)
async def delete_allowance(value_hash: ValueHash, staff: Owner, held: WithResources) -> None:
    """Mask a value again from the next import on. A repeat changes nothing."""
    async with held.database.transaction(staff.claims.tenant) as connection:
        await end_allowance(connection, acting(staff), value_hash=value_hash)


def _view(mask: ListedMask) -> MaskView:
    return MaskView(
        slug=mask.slug,
        label=mask.label,
        field=mask.field,
        kind=mask.kind,
        start=mask.source_start,
        end=mask.source_end,
        hash=mask.value_hash,
        allowed=mask.is_allowed,
        context=mask.context,
    )


def _cursor(mask: ListedMask) -> str:
    place = _Cursor(slug=mask.slug, revision=mask.revision, field=mask.field, start=mask.source_start)
    return cursor_of(place)


def _place(cursor: str) -> MaskPlace:
    place = read_cursor(_Cursor, cursor)
    slug = storable("cursor", place.slug)
    return MaskPlace(slug=slug, revision=place.revision, field=place.field, source_start=place.start)
