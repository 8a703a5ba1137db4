"""Read out of a verified token how a customer can be reached, as far as the tenant lets support know.

What a claim holds becomes the requester of a ticket, and helpdesks send mail to requesters: anything that is not plainly a
name, an address or a number is left out, and never worth refusing a customer for.
"""

import re
from collections.abc import Mapping
from typing import Final

from contracts.messages import TicketContact
from contracts.tenants import ContactKind

_LONGEST_NAME: Final = 100
# The longest address that mail can be sent to; only the characters that need no quoting in a header, and none at the start that would
# begin a formula in an export.
_EMAIL: Final = re.compile(
    r"(?=.{3,254}\Z)[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9-]+)+"
)
_PHONE: Final = re.compile(r"\+?[0-9](?:[ ().-]{0,2}[0-9]){4,19}")
_NO_NAME: Final = frozenset('<>"@,;:\\{}[]|=')


def contact_of(claims: Mapping[str, object], allowed: tuple[ContactKind, ...]) -> TicketContact | None:
    """Give what the tenant allows of name, e-mail address and phone number; None when that is nothing.

    An address or a number that its issuer calls unverified is somebody else's until proven.
    Source: OpenID Connect Core 1.0 section 5.1 (the claims and their `_verified` companions).
    """
    said = TicketContact(
        name=_name(claims.get("name")),
        email=_matching(_EMAIL, _verified(claims, "email")),
        phone=_matching(_PHONE, _verified(claims, "phone_number")),
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


def _name(claim: object) -> str | None:
    if not isinstance(claim, str) or not claim.isprintable() or _NO_NAME & set(claim):
        return None
    name = claim.strip()
    return name if 0 < len(name) <= _LONGEST_NAME and name[0].isalpha() else None


def _matching(pattern: re.Pattern[str], claim: object) -> str | None:
    text = claim.strip(" ") if isinstance(claim, str) else ""
    return text if pattern.fullmatch(text) else None
