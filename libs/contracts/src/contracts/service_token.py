"""What a service token says: bff mints one for every call to knowledge (60 seconds, Ed25519)."""

from typing import Final, Literal

from contracts.model import Message

AUDIENCE_KNOWLEDGE: Final = "knowledge"
LIFETIME_SECONDS: Final = 60
# Milliseconds left when the request was sent, as a whole number: what is left survives clocks that disagree.
DEADLINE_HEADER: Final = "x-youju-deadline"
PUBLIC_SEGMENT: Final = "public"

StaffRole = Literal["owner", "publisher", "reviewer", "operator", "support"]


class ServiceClaims(Message):
    """Who asks, for whom, and for exactly which request."""

    tenant: str
    actor: str
    segments: tuple[str, ...]
    attempt_id: str
    method: str
    path: str


class StaffClaims(Message):
    """A member of staff and the roles a tenant gave them."""

    tenant: str
    actor: str
    roles: tuple[StaffRole, ...]
