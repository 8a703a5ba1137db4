"""Read out of a verified token how a customer can be reached, as far as the tenant lets support know.

What a claim holds becomes the requester of a ticket, and helpdesks send mail to requesters: anything that is not plainly a
name, an address or a number is left out, and never worth refusing a customer for.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final

from contracts.contact import is_address, is_name
from contracts.messages import TicketContact
from contracts.tenants import ContactKind

_PHONE: Final = re.compile(r"\+?[0-9](?:[ ().-]{0,2}[0-9]){4,19}")


def contact_of(claims: Mapping[str, object], allowed: tuple[ContactKind, ...]) -> TicketContact | None:
    """Give what the tenant allows of name, e-mail address and phone number; None when that is nothing.

    An address or a number that its issuer calls unverified is somebody else's until proven.
    Source: OpenID Connect Core 1.0 section 5.1 (the claims and their `_verified` companions).
    """
    said = TicketContact(
        name=_plain(claims.get("name"), is_name),
        email=_plain(_verified(claims, "email"), is_address),
        phone=_plain(_verified(claims, "phone_number"), lambda text: _PHONE.fullmatch(text) is not None),
    )
    return allowed_contact(said, allowed)


def allowed_contact(contact: TicketContact | None, allowed: tuple[ContactKind, ...]) -> TicketContact | None:
    """Give what a tenant allows of a contact; None when that is nothing."""
    if contact is None:
        return None
    kept = TicketContact(
        name=contact.name if "name" in allowed else None,
        email=contact.email if "email" in allowed else None,
        phone=contact.phone if "phone" in allowed else None,
    )
    return kept if kept.name or kept.email or kept.phone else None


def _verified(claims: Mapping[str, object], name: str) -> object:
    return None if claims.get(f"{name}_verified", True) in (False, "false") else claims.get(name)


def _plain(claim: object, is_plain: Callable[[str], bool]) -> str | None:
    text = claim.strip(" ") if isinstance(claim, str) else ""
    return text if is_plain(text) else None
