"""Say once what the two parameters of every list mean."""

from typing import Annotated

from fastapi import Query

PageSize = Annotated[int, Query(ge=1, le=100, description="How many to list at most; a page never holds more than 100")]
NextCursor = Annotated[
    str | None,
    Query(
        description="The `nextCursor` of the page before: 32 hexadecimal digits; leave it out for the first page",
        examples=["01932f7a6b2c7d3e8f90a1b2c3d4e5f6"],
    ),
]
