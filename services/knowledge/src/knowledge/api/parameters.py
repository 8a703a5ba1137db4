"""Say once what calls of staff name in their address, and how lists go on."""

from typing import Annotated

from fastapi import Path, Query

_LARGEST: int = 2_147_483_647
_CURSOR = "The `nextCursor` of the page before; leave it out for the first page"

VersionNumber = Annotated[
    int, Path(ge=1, le=_LARGEST, description="The version by its number, counted from 1 for each tenant", examples=[12])
]
ImportPath = Annotated[
    str,
    Path(
        description="The import: `job_` and 32 hexadecimal digits, as opening it gave",
        examples=["job_01932f7a6b2c7d3e8f90a1b2c3d4e5f6"],
    ),
]
SlugPath = Annotated[
    str, Path(description="The document by its slug, which may hold slashes", examples=["returns/shipping"])
]
RevisionPath = Annotated[
    str,
    Path(
        description="The revision: `rev_` and 32 hexadecimal digits, as documents list it",
        examples=["rev_01932f7a6b2c7d3e8f90a1b2c3d4e5f6"],
    ),
]
AttemptPath = Annotated[
    str,
    Path(
        description="The attempt: `att_` and 32 hexadecimal digits, as customers and traces name it",
        examples=["att_01932f7a6b2c7d3e8f90a1b2c3d4e5f6"],
    ),
]
NoticePath = Annotated[
    str,
    Path(
        description="The notice: `ntc_` and 32 hexadecimal digits, as they are listed",
        examples=["ntc_01932f7a6b2c7d3e8f90a1b2c3d4e5f6"],
    ),
]
ProposalPath = Annotated[
    str,
    Path(
        description="The proposal: `prp_` and 32 hexadecimal digits, as they are listed",
        examples=["prp_01932f7a6b2c7d3e8f90a1b2c3d4e5f6"],
    ),
]
RunPath = Annotated[
    str,
    Path(
        max_length=100,
        description="The run: `run_` and 32 hexadecimal digits, as starting it gave",
        examples=["run_01932f7a6b2c7d3e8f90a1b2c3d4e5f6"],
    ),
]
CasePath = Annotated[str, Path(max_length=100, description="The golden case by its id", examples=["zh-refund-001"])]

OfVersion = Annotated[
    int | None, Query(ge=1, le=_LARGEST, description="Only runs of the version with this number", examples=[12])
]
NumberCursor = Annotated[int | None, Query(ge=1, le=_LARGEST, description=_CURSOR, examples=[11])]
