"""Say once what calls name in their address and in their heads."""

from typing import Annotated

from fastapi import Path

TenantName = Annotated[
    str, Path(pattern=r"^[^\x00]{1,100}$", description="The tenant whose tickets the helpdesk holds", examples=["demo"])
]
HelpdeskName = Annotated[
    str, Path(description="The helpdesk, by the name that ticketing's settings give it", examples=["support"])
]
LedgerPath = Annotated[
    str,
    Path(
        description="The row of the ledger: `tic_` and 32 hexadecimal digits, as the ledger lists it",
        examples=["tic_01932f7a6b2c7d3e8f90a1b2c3d4e5f6"],
    ),
]
ParkedPath = Annotated[
    str,
    Path(
        description="The parked message: `msg_` and 32 hexadecimal digits, as they are listed",
        examples=["msg_01932f7a6b2c7d3e8f90a1b2c3d4e5f6"],
    ),
]
TicketPath = Annotated[str, Path(description="The ticket by its number, as people call it", examples=["T-1042"])]
