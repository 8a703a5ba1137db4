"""Tell a helpdesk no more of a customer than the tenant allows."""

from functools import partial

from contracts.messages import CreateTicket
from personal_data.masking import mask
from ticketing.tickets.helpdesk import Guarantee, Helpdesk, HelpdeskStatus, HelpdeskTicket, Limits
from ticketing.tickets.masking import masked


class MaskedHelpdesk:
    """A helpdesk whose tickets lack the kinds of personal data that must not leave; all else is that helpdesk's."""

    def __init__(self, helpdesk: Helpdesk, kinds: frozenset[str]) -> None:
        """Take the helpdesk and the kinds that are masked; none of them leaves texts as they are."""
        self._helpdesk = helpdesk
        self._mask = partial(mask, kinds=kinds)
        self._kinds = kinds

    @property
    def name(self) -> str:
        """Give the helpdesk's name in the ledger."""
        return self._helpdesk.name

    @property
    def guarantee(self) -> Guarantee:
        """Give what the helpdesk declares."""
        return self._helpdesk.guarantee

    @property
    def limits(self) -> Limits | None:
        """Give how much the helpdesk may be asked."""
        return self._helpdesk.limits

    @property
    def is_polled(self) -> bool:
        """Say whether the helpdesk is asked what people did."""
        return self._helpdesk.is_polled

    def create(self, ticket: CreateTicket) -> HelpdeskTicket:
        """Create a ticket without what must not leave. Errors: HelpdeskError."""
        return self._helpdesk.create(self.told(ticket))

    def told(self, ticket: CreateTicket) -> CreateTicket:
        """Give an order as the helpdesk hears it."""
        return masked(ticket, self._mask, kinds=self._kinds) if self._kinds else ticket

    @property
    def behind(self) -> Helpdesk:
        """Give the helpdesk that hears the masked tickets."""
        return self._helpdesk

    def find_by_key(self, *, tenant: str, ticket_key: str) -> HelpdeskTicket | None:
        """Look for the ticket that bears our key. Errors: HelpdeskError."""
        return self._helpdesk.find_by_key(tenant=tenant, ticket_key=ticket_key)

    def read(self, *, tenant: str, external_id: str) -> HelpdeskStatus | None:
        """Read where a ticket stands. Errors: HelpdeskError."""
        return self._helpdesk.read(tenant=tenant, external_id=external_id)
