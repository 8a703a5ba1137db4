"""Open tickets in Zendesk.

Source: the vendor's reference of its ticketing API (tickets, idempotency).
"""

from base64 import b64encode
from datetime import timedelta
from typing import Final
from urllib.parse import quote

from pydantic import BaseModel, Field, SecretStr

from contracts.messages import CreateTicket
from contracts.reasons import EscalationStatus
from ticketing.adapters.connection import (
    Call,
    Line,
    NotifyingSettings,
    Reply,
    is_gone,
    json_bytes,
    read_settings,
    readable,
    understood,
)
from ticketing.adapters.solutions import plain_solution
from ticketing.tickets.contact import requester_of
from ticketing.tickets.helpdesk import (
    Guarantee,
    Helpdesk,
    HelpdeskStatus,
    HelpdeskTicket,
    InFlightError,
    Limits,
)
from ticketing.tickets.rendering import Lengths, Write, bytes_of, key_stamp

# Zendesk remembers a key for two hours. Ten minutes are left for a request that is slow to arrive and clocks that differ.
_KEY_LIVES: Final = timedelta(hours=1, minutes=50)
# The list by external id follows its database; the search index, which lags by minutes, is not asked.
_LAG: Final = timedelta(minutes=5)
# A comment has 64 KiB, which Chinese fills with a third of as many characters.
_LENGTHS: Final = Lengths(subject=150, body=60_000, size=bytes_of)
_WHO_WE_ARE: Final = Call(method="GET", path="/api/v2/users/me")

_MEANING: Final[dict[str, EscalationStatus]] = {
    "new": "TICKET_CREATED",
    "open": "IN_PROGRESS",
    "pending": "IN_PROGRESS",
    "hold": "IN_PROGRESS",
    "solved": "SOLVED",
    "closed": "SOLVED",
}


class ZendeskSettings(NotifyingSettings):
    """Settings of a Zendesk: address, the agent we act as, and where tickets go."""

    email: str = Field(min_length=3, description="Whose API token it is")
    api_token: SecretStr
    requester_email: str = Field(min_length=3, description="Who asks when the escalation names no contact")
    group_id: int | None = None
    tags: tuple[str, ...] = ("youju",)


class _Me(BaseModel):
    id: int


class _OneUser(BaseModel):
    # Whoever is not known has no id there.
    user: _Me


class _Ticket(BaseModel):
    id: int
    status: str = "new"
    external_id: str | None = None
    requester_id: int | None = None


class _OneTicket(BaseModel):
    ticket: _Ticket


class _Comment(BaseModel):
    author_id: int | None = None
    public: bool = False
    plain_body: str | None = None
    body: str = ""


class _Comments(BaseModel):
    comments: tuple[_Comment, ...]


class _Tickets(BaseModel):
    tickets: tuple[_Ticket, ...]


class Zendesk:
    """A Zendesk account.

    Promise: `native_key` for two hours after the first try, through `Idempotency-Key`; after that `lagging_lookup` in the
    list of tickets with our key as `external_id`, where nothing found is for a person to judge.
    """

    is_polled: bool = True
    guarantee: Guarantee = Guarantee("native_key", lag=_LAG, key_lives=_KEY_LIVES, believes_absence=False)

    def __init__(self, name: str, settings: ZendeskSettings, write: Write) -> None:
        """Take the name in the ledger, the settings and who words tickets; nothing is called yet."""
        self.name = name
        self.limits: Limits | None = settings.limits
        self._write = write
        self._settings = settings
        secret = f"{settings.email}/token:{settings.api_token.get_secret_value()}"
        self._line = Line(settings, headers={"Authorization": f"Basic {b64encode(secret.encode()).decode()}"})

    def create(self, ticket: CreateTicket) -> HelpdeskTicket:
        """Create a ticket. Repeat: the first, as long as Zendesk remembers the key. Errors: HelpdeskError."""
        headers = {"Content-Type": "application/json", "Idempotency-Key": key_stamp(ticket.ticket_key)}
        body = json_bytes({"ticket": self._body(ticket)})
        with self._line.one_call():
            reply = self._line.send(Call(method="POST", path="/api/v2/tickets", headers=headers, content=body))
            return self._first(ticket) if _is_other_body(reply) else _named(understood(reply, _OneTicket).ticket)

    def find_by_key(self, *, tenant: str, ticket_key: str) -> HelpdeskTicket | None:
        """Look for the ticket with our key as its external id. Errors: HelpdeskError."""
        del tenant
        reply = self._line.send(Call(method="GET", path="/api/v2/tickets", params={"external_id": ticket_key}))
        # An account that ignores the filter would name somebody else's ticket.
        ours = [each for each in understood(reply, _Tickets).tickets if each.external_id == ticket_key]
        return _named(min(ours, key=lambda each: each.id)) if ours else None

    def read(self, *, tenant: str, external_id: str) -> HelpdeskStatus | None:
        """Read where a ticket stands; None when it is deleted. Errors: HelpdeskError."""
        del tenant
        with self._line.one_call():
            return self._read(f"/api/v2/tickets/{quote(external_id, safe='')}")

    def _read(self, path: str) -> HelpdeskStatus | None:
        reply = self._line.send(Call(method="GET", path=path))
        if is_gone(self._line, reply, knows=_WHO_WE_ARE, kind=_OneUser):
            return None
        ticket = understood(reply, _OneTicket).ticket
        status = _MEANING.get(ticket.status, "IN_PROGRESS")
        return HelpdeskStatus(status=status, solution=self._solution(path, ticket) if status == "SOLVED" else None)

    def _solution(self, path: str, ticket: _Ticket) -> str | None:
        """Give the last public comment that is not the customer's own."""
        reply = self._line.send(Call(method="GET", path=f"{path}/comments", params={"sort_order": "desc"}))
        said = readable(reply, _Comments)
        ours = [each for each in said.comments if each.public and each.author_id != ticket.requester_id] if said else []
        return plain_solution(ours[0].plain_body or ours[0].body) if ours else None

    def _first(self, ticket: CreateTicket) -> HelpdeskTicket:
        """Give the ticket that an earlier form of this text opened: a release in between may write it differently."""
        first = self.find_by_key(tenant=ticket.tenant, ticket_key=ticket.ticket_key)
        if first is None:
            raise InFlightError("The key is known with another body, and its ticket is not listed yet.")
        return first

    def _body(self, ticket: CreateTicket) -> dict[str, object]:
        text = self._write(ticket, _LENGTHS)
        body: dict[str, object] = {
            "subject": text.subject,
            "comment": {"html_body": text.html, "public": False},
            "requester": self._requester(ticket),
            "priority": ticket.priority,
            "external_id": ticket.ticket_key,
            "tags": list(self._settings.tags),
        }
        if self._settings.group_id is not None:
            body["group_id"] = self._settings.group_id
        return body

    def _requester(self, ticket: CreateTicket) -> dict[str, str]:
        asks = requester_of(ticket)
        if asks is None:
            return {"email": self._settings.requester_email}
        return {"email": asks.email, "name": asks.name or asks.email}


def connect_zendesk(name: str, write: Write) -> Helpdesk:
    """Build a Zendesk from its settings. Errors: SettingsError."""
    return Zendesk(name, read_settings(ZendeskSettings, name), write)


def _is_other_body(reply: Reply) -> bool:
    return reply.status == 400 and "IdempotentRequestError" in str(reply.body)  # noqa: PLR2004 - a status code


def _named(ticket: _Ticket) -> HelpdeskTicket:
    return HelpdeskTicket(external_id=str(ticket.id), number=f"#{ticket.id}")
