"""Connect the helpdesks that the settings name, and choose the one a tenant works with."""

from collections.abc import Callable, Mapping
from typing import Final, get_args

from contracts.messages import CreateTicket
from contracts.tenants import PersonalDataKind
from runtime.tenants import TenantDirectory
from ticketing.adapters.desk import NAME as DESK
from ticketing.adapters.masked import MaskedHelpdesk
from ticketing.adapters.request_tracker import connect_request_tracker
from ticketing.adapters.webhook import connect_webhook
from ticketing.adapters.zammad import connect_zammad
from ticketing.adapters.zendesk import connect_zendesk
from ticketing.settings import HelpdeskKind
from ticketing.tickets.helpdesk import Guarantee, Helpdesk, HelpdeskStatus, HelpdeskTicket, Limits, RefusedError
from ticketing.tickets.rendering import Write, render

# A tenant that the file does not know has allowed nothing.
_ALL_KINDS: Final[tuple[PersonalDataKind, ...]] = get_args(PersonalDataKind)
_CONNECT: Final[Mapping[HelpdeskKind, Callable[[str, Write], Helpdesk]]] = {
    "webhook": connect_webhook,
    "zendesk": connect_zendesk,
    "zammad": connect_zammad,
    "request_tracker": connect_request_tracker,
}


def connect_all(kinds: Mapping[str, HelpdeskKind], *, write: Write = render) -> dict[str, Helpdesk]:
    """Build every named helpdesk from its settings; nothing is called yet. Errors: SettingsError."""
    return {name: _CONNECT[kind](name, write) for name, kind in kinds.items()}


class Helpdesks:
    """The desk of this installation, and the helpdesks elsewhere by name."""

    def __init__(self, desk: Helpdesk, elsewhere: Mapping[str, Helpdesk], tenants: TenantDirectory) -> None:
        """Take the tenants file, which says what each tenant chose and what may leave."""
        self._by_name = {DESK: desk, **elsewhere}
        self._tenants = tenants

    def choose(self, tenant: str, tried: str | None) -> Helpdesk:
        """Give the helpdesk that was tried, else the tenant's own, else the desk. It is told no more than the tenant allows."""
        found = self._tenants.find(tenant)
        name = tried or (found.helpdesk if found is not None else DESK)
        kinds = found.masked_in_tickets if found is not None else _ALL_KINDS
        return MaskedHelpdesk(self._by_name.get(name) or MissingHelpdesk(name), frozenset(kinds))


class MissingHelpdesk:
    """A helpdesk that the tenants file or the ledger names and the settings do not know: every ticket needs attention."""

    guarantee: Guarantee = Guarantee("lagging_lookup", believes_absence=False)
    limits: Limits | None = None
    is_polled: bool = False

    def __init__(self, name: str) -> None:
        """Take the name that nobody answers to."""
        self.name = name

    def create(self, ticket: CreateTicket) -> HelpdeskTicket:
        """Refuse. Errors: RefusedError always."""
        del ticket
        raise RefusedError("The settings name no such helpdesk.")

    def find_by_key(self, *, tenant: str, ticket_key: str) -> HelpdeskTicket | None:
        """Refuse. Errors: RefusedError always."""
        del tenant, ticket_key
        raise RefusedError("The settings name no such helpdesk.")

    def read(self, *, tenant: str, external_id: str) -> HelpdeskStatus | None:
        """Refuse. Errors: RefusedError always."""
        del tenant, external_id
        raise RefusedError("The settings name no such helpdesk.")
