"""Open tickets in Zammad.

Source: the documentation of its REST interface (tickets, authentication, search).
"""

from datetime import timedelta
from typing import Final, Literal
from urllib.parse import quote

from pydantic import BaseModel, Field, RootModel, SecretStr

from contracts.messages import CreateTicket
from contracts.reasons import EscalationStatus
from ticketing.adapters.connection import (
    Call,
    Line,
    NotifyingSettings,
    is_gone,
    json_bytes,
    read_settings,
    readable,
    understood,
)
from ticketing.adapters.solutions import plain_solution
from ticketing.tickets.contact import requester_of
from ticketing.tickets.helpdesk import Guarantee, Helpdesk, HelpdeskStatus, HelpdeskTicket, Limits
from ticketing.tickets.rendering import Lengths, Write, key_stamp

_LENGTHS: Final = Lengths(subject=240, body=100_000)
_PRIORITY: Final = {"normal": "2 normal", "high": "3 high"}
_WHO_WE_ARE: Final = Call(method="GET", path="/api/v1/users/me")
_MEANING: Final[dict[str, EscalationStatus]] = {
    "new": "TICKET_CREATED",
    "open": "IN_PROGRESS",
    "closed": "SOLVED",
    "merged": "SOLVED",
}


class ZammadSettings(NotifyingSettings):
    """Settings of a Zammad: address, the agent we act as, and where tickets go."""

    token: SecretStr
    group: str = Field(min_length=1, description="By name; the agent must be allowed to create in it")
    customer_email: str = Field(min_length=3, description="Who asks when the escalation names no contact")
    lag_seconds: float = Field(default=600, ge=0, le=86_400, description="After which its search has seen everything")
    after_absence: Literal["ask_a_person", "create_once"] = Field(
        default="ask_a_person", description="What follows where its search finds nothing after a lost reply"
    )


class _Me(BaseModel):
    id: int


class _Ticket(BaseModel):
    id: int
    number: str
    title: str = ""
    state: str = "new"


class _Tickets(RootModel[tuple[_Ticket, ...]]):
    pass


class _Article(BaseModel):
    id: int
    body: str = ""
    content_type: str = "text/plain"
    internal: bool = True
    sender: str = ""


class _Articles(RootModel[tuple[_Article, ...]]):
    pass


class Zammad:
    """A Zammad installation.

    Promise: `lagging_lookup`. It knows no idempotency keys, and its search follows by minutes. A ticket bears our key at the
    end of its title, where both of its searches, with and without an index, find it. Where the search finds nothing after its
    bound, a person decides, because it may lag longer; `create_once` believes it once.
    """

    is_polled: bool = True

    def __init__(self, name: str, settings: ZammadSettings, write: Write) -> None:
        """Take the name in the ledger, the settings and who words tickets; nothing is called yet."""
        self.name = name
        self.limits: Limits | None = settings.limits
        self._write = write
        self.guarantee = Guarantee(
            "lagging_lookup",
            lag=timedelta(seconds=settings.lag_seconds),
            believes_absence=settings.after_absence == "create_once",
        )
        self._settings = settings
        self._line = Line(settings, headers={"Authorization": f"Token token={settings.token.get_secret_value()}"})

    def create(self, ticket: CreateTicket) -> HelpdeskTicket:
        """Create a ticket. Repeat: another ticket, which is why only the ledger calls this. Errors: HelpdeskError."""
        headers = {"Content-Type": "application/json"}
        call = Call(method="POST", path="/api/v1/tickets", headers=headers, content=json_bytes(self._body(ticket)))
        return _named(understood(self._line.send(call), _Ticket))

    def find_by_key(self, *, tenant: str, ticket_key: str) -> HelpdeskTicket | None:
        """Look for the ticket whose title bears our key. Errors: HelpdeskError."""
        del tenant
        stamp = key_stamp(ticket_key)
        params = {"query": stamp, "limit": "10", "expand": "true"}
        reply = self._line.send(Call(method="GET", path="/api/v1/tickets/search", params=params))
        ours = [each for each in understood(reply, _Tickets).root if stamp in each.title]
        return _named(min(ours, key=lambda each: each.id)) if ours else None

    def read(self, *, tenant: str, external_id: str) -> HelpdeskStatus | None:
        """Read where a ticket stands; None when it is deleted. Errors: HelpdeskError."""
        del tenant
        with self._line.one_call():
            return self._read(quote(external_id, safe=""))

    def _read(self, name: str) -> HelpdeskStatus | None:
        path = f"/api/v1/tickets/{name}"
        reply = self._line.send(Call(method="GET", path=path, params={"expand": "true"}))
        if is_gone(self._line, reply, knows=_WHO_WE_ARE, kind=_Me):
            return None
        status = _MEANING.get(understood(reply, _Ticket).state, "IN_PROGRESS")
        return HelpdeskStatus(status=status, solution=self._solution(name) if status == "SOLVED" else None)

    def _solution(self, name: str) -> str | None:
        """Give the last article that an agent wrote for the customer."""
        path = f"/api/v1/ticket_articles/by_ticket/{name}"
        said = readable(self._line.send(Call(method="GET", path=path, params={"expand": "true"})), _Articles)
        ours = [each for each in said.root if not each.internal and each.sender == "Agent"] if said else []
        if not ours:
            return None
        last = max(ours, key=lambda each: each.id)
        return plain_solution(last.body, is_html="html" in last.content_type)

    def _body(self, ticket: CreateTicket) -> dict[str, object]:
        text = self._write(ticket, _LENGTHS)
        asks = requester_of(ticket)
        email = asks.email if asks else self._settings.customer_email
        return {
            "title": text.subject,
            "group": self._settings.group,
            "customer_id": f"guess:{email}",
            "priority": _PRIORITY[ticket.priority],
            "article": {
                "subject": text.subject,
                "body": text.html,
                "content_type": "text/html",
                "type": "note",
                "internal": True,
            },
        }


def connect_zammad(name: str, write: Write) -> Helpdesk:
    """Build a Zammad from its settings. Errors: SettingsError."""
    return Zammad(name, read_settings(ZammadSettings, name), write)


def _named(ticket: _Ticket) -> HelpdeskTicket:
    return HelpdeskTicket(external_id=str(ticket.id), number=f"#{ticket.number}")
