"""Say once what calls of staff name in their address, and how lists go on."""

from typing import Annotated

from fastapi import Path, Query

from runtime.addresses import id_path

_LARGEST: int = 2_147_483_647
_CURSOR = "The `nextCursor` of the page before; leave it out for the first page"

VersionNumber = Annotated[
    int, Path(ge=1, le=_LARGEST, description="The version by its number, counted from 1 for each tenant", examples=[12])
]
ImportPath = Annotated[str, id_path("job", "The import", "as opening it gave")]
SlugPath = Annotated[
    str, Path(description="The document by its slug, which may hold slashes", examples=["returns/shipping"])
]
RevisionPath = Annotated[str, id_path("rev", "The revision", "as documents list it")]
AttemptPath = Annotated[str, id_path("att", "The attempt", "as customers and traces name it")]
NoticePath = Annotated[str, id_path("ntc", "The notice", "as they are listed")]
ProposalPath = Annotated[str, id_path("prp", "The proposal", "as they are listed")]
RunPath = Annotated[str, id_path("run", "The run", "as starting it gave", max_length=100)]
CasePath = Annotated[str, Path(max_length=100, description="The golden case by its id", examples=["zh-refund-001"])]

OfVersion = Annotated[
    int | None, Query(ge=1, le=_LARGEST, description="Only runs of the version with this number", examples=[12])
]
NumberCursor = Annotated[int | None, Query(ge=1, le=_LARGEST, description=_CURSOR, examples=[11])]
