"""Say once what calls name in their address and in their heads."""

from typing import Annotated

from fastapi import Path

from runtime.addresses import id_path

TenantName = Annotated[
    str, Path(pattern=r"^[^\x00]{1,100}$", description="The tenant whose tickets the helpdesk holds", examples=["demo"])
]
HelpdeskName = Annotated[
    str, Path(description="The helpdesk, by the name that ticketing's settings give it", examples=["support"])
]
LedgerPath = Annotated[str, id_path("tic", "The row of the ledger", "as the ledger lists it")]
TicketPath = Annotated[str, Path(description="The ticket by its number, as people call it", examples=["T-1042"])]
