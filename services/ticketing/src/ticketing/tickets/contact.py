"""Know whom a helpdesk may name as the one who asks, whatever an order says.

A requester gets mail, and stands in headers and exports: what is not plainly an address or a name is not used as one. It is
still told in the text, where it is inert like everything else.
"""

import re
from dataclasses import dataclass
from typing import Final

from contracts.messages import CreateTicket

# Only the characters that need no quoting in a header, and none at the start that would begin a formula in an export.
_EMAIL: Final = re.compile(r"(?=.{3,254}\Z)[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")
_NO_NAME: Final = frozenset('<>"@,;:\\{}[]|=')
_LONGEST_NAME: Final = 100
_LONGEST_LINE: Final = 254


@dataclass(frozen=True, slots=True, kw_only=True)
class Requester:
    """Who asks: an address, and the name that stands beside it."""

    email: str
    name: str | None


def requester_of(order: CreateTicket) -> Requester | None:
    """Give who asks, when the order names an address that mail may be sent to."""
    contact = order.contact
    if contact is None or not contact.email or not _EMAIL.fullmatch(contact.email):
        return None
    return Requester(email=contact.email, name=contact.name if _is_name(contact.name) else None)


def contact_lines(order: CreateTicket) -> tuple[str, ...]:
    """Give how the customer can be reached, a line for each way."""
    contact = order.contact
    ways = () if contact is None else (contact.name, contact.email, contact.phone)
    return tuple(" ".join(way.split())[:_LONGEST_LINE] for way in ways if way)


def _is_name(name: str | None) -> bool:
    if not name or len(name) > _LONGEST_NAME:
        return False
    return name[0].isalpha() and name.isprintable() and not _NO_NAME & set(name)
