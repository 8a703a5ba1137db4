"""Know whom a helpdesk may name as the one who asks, whatever an order says.

A requester gets mail, and stands in headers and exports: what is not plainly an address or a name is not used as one. It is
still told in the text, where it is inert like everything else.
"""

from dataclasses import dataclass
from typing import Final

from contracts.contact import is_address, is_name
from contracts.messages import CreateTicket

_LONGEST_LINE: Final = 254


@dataclass(frozen=True, slots=True, kw_only=True)
class Requester:
    """Who asks: an address, and the name that stands beside it."""

    email: str
    name: str | None


def requester_of(order: CreateTicket) -> Requester | None:
    """Give who asks, when the order names an address that mail may be sent to."""
    contact = order.contact
    if contact is None or not contact.email or not is_address(contact.email):
        return None
    return Requester(email=contact.email, name=contact.name if contact.name and is_name(contact.name) else None)


def contact_lines(order: CreateTicket) -> tuple[str, ...]:
    """Give how the customer can be reached, a line for each way."""
    contact = order.contact
    ways = () if contact is None else (contact.name, contact.email, contact.phone)
    return tuple(" ".join(way.split())[:_LONGEST_LINE] for way in ways if way)
