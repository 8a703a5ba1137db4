"""Open the transaction of a staff request."""

from collections.abc import AsyncGenerator
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy.ext.asyncio import AsyncConnection

from runtime.database import Database
from ticketing.api.staff import DeskStaff


async def transaction(request: Request, staff: DeskStaff) -> AsyncGenerator[AsyncConnection]:
    """Open the request's transaction for the tenant of the member of staff."""
    database: Database = request.app.state.database
    async with database.transaction(staff.tenant) as connection:
        yield connection


# Function scope commits before the answer leaves, so that a failing commit is not answered with success.
Transaction = Annotated[AsyncConnection, Depends(transaction, scope="function")]
