"""Open tickets at the built-in desk, the helpdesk of installations that have none."""

from typing import Final

from contracts.errors import UnavailableError
from contracts.ids import IdSource
from contracts.messages import CreateTicket
from runtime.database import SyncDatabase
from ticketing.desk import store
from ticketing.desk.ticket import printed_number
from ticketing.tickets.helpdesk import Guarantee, HelpdeskStatus, HelpdeskTicket, Limits, OutcomeUnknownError
from ticketing.tickets.store import erasing

NAME: Final = "desk"


class BuiltInDesk:
    """The desk of this installation.

    Promise: `native_key`. Our key is unique at the desk, so a repeated create returns the first ticket.
    """

    name: str = NAME
    guarantee: Guarantee = Guarantee("native_key")
    limits: Limits | None = None
    is_polled: bool = False

    def __init__(self, database: SyncDatabase, *, new_id: IdSource) -> None:
        """Take the database the desk keeps its tickets in; each call is a short transaction of its own."""
        self._database = database
        self._new_id = new_id

    def create(self, ticket: CreateTicket) -> HelpdeskTicket:
        """Open a ticket, without its texts when they were erased meanwhile. Repeat: returns the first.

        Errors: OutcomeUnknownError when the commit's reply is lost.
        """
        try:
            with self._database.transaction(ticket.tenant) as connection:
                erasing.hold_off(connection, ticket.attempt_id)
                is_erased = erasing.is_erased(connection, ticket.attempt_id)
                kept = erasing.silenced(ticket) if is_erased else ticket
                number = store.open_ticket(connection, kept, desk_ticket_id=self._new_id())
        except UnavailableError as lost:
            raise OutcomeUnknownError from lost
        return named(number)

    def find_by_key(self, *, tenant: str, ticket_key: str) -> HelpdeskTicket | None:
        """Look for the ticket that bears a key. Errors: OutcomeUnknownError when the desk cannot be asked."""
        try:
            with self._database.transaction(tenant) as connection:
                number = store.find_number(connection, ticket_key)
        except UnavailableError as lost:
            raise OutcomeUnknownError from lost
        return named(number) if number is not None else None

    def read(self, *, tenant: str, external_id: str) -> HelpdeskStatus | None:
        """Give nothing: the desk tells every move itself, in the transaction that makes it."""
        del tenant, external_id


def named(number: int) -> HelpdeskTicket:
    """Name a ticket of the desk as every helpdesk names its own."""
    return HelpdeskTicket(external_id=str(number), number=printed_number(number))
