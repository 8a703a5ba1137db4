"""Open tickets in Request Tracker 5 through its REST 2 interface.

Source: the documentation of RT::REST2 (tickets, searches by TicketSQL, authentication by token).
"""

from base64 import b64decode
from datetime import timedelta
from typing import Final
from urllib.parse import quote

from pydantic import BaseModel, Field, SecretStr

from contracts.messages import CreateTicket
from contracts.reasons import EscalationStatus
from ticketing.adapters.connection import (
    Call,
    HelpdeskSettings,
    Line,
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

# The column of the subject holds 200 characters.
_LENGTHS: Final = Lengths(subject=190, body=100_000)
_WHO_WE_ARE: Final = Call(method="GET", path="/REST/2.0/rt")
_MEANING: Final[dict[str, EscalationStatus]] = {
    "new": "TICKET_CREATED",
    "open": "IN_PROGRESS",
    "stalled": "IN_PROGRESS",
    "resolved": "SOLVED",
    "rejected": "SOLVED",
    "deleted": "SOLVED",
}


class RequestTrackerSettings(HelpdeskSettings):
    """Settings of a Request Tracker: address, the token we act with, and the queue tickets go to."""

    token: SecretStr
    queue: str = Field(default="General", min_length=1)
    requestor: str = Field(min_length=3, description="Who asks when the escalation names no contact")
    work_seconds: float = Field(
        default=120, ge=0, le=3_600, description="For which it may still work on a request that we gave up"
    )


class _Created(BaseModel):
    id: int


class _Root(BaseModel):
    Version: str


class _Ticket(BaseModel):
    id: int
    Subject: str = ""
    Status: str = "new"


class _Act(BaseModel):
    id: int
    Type: str = ""


class _Acts(BaseModel):
    items: tuple[_Act, ...]


class _Attachment(BaseModel):
    ContentType: str = ""
    Content: str | None = None

    def text(self) -> str:
        """Give the content, which travels in base64."""
        return b64decode(self.Content or "").decode(errors="replace")


class _Attachments(BaseModel):
    items: tuple[_Attachment, ...]


class _Tickets(BaseModel):
    items: tuple[_Ticket, ...]


class RequestTracker:
    """A Request Tracker.

    Promise: `strong_lookup`. It knows no idempotency keys, but its searches read its database: what exists is found by our
    key, which ends the subject. A request that we gave up may still be at work, so a lookup counts after a while only.
    """

    is_polled: bool = True

    def __init__(self, name: str, settings: RequestTrackerSettings, write: Write) -> None:
        """Take the name in the ledger, the settings and who words tickets; nothing is called yet."""
        self.name = name
        self.limits: Limits | None = settings.limits
        self._write = write
        self.guarantee = Guarantee("strong_lookup", lag=timedelta(seconds=settings.work_seconds))
        self._settings = settings
        self._line = Line(settings, headers={"Authorization": f"token {settings.token.get_secret_value()}"})

    def create(self, ticket: CreateTicket) -> HelpdeskTicket:
        """Create a ticket. Repeat: another ticket, which is why only the ledger calls this. Errors: HelpdeskError."""
        headers = {"Content-Type": "application/json"}
        call = Call(method="POST", path="/REST/2.0/ticket", headers=headers, content=json_bytes(self._body(ticket)))
        return _named(understood(self._line.send(call), _Created).id)

    def find_by_key(self, *, tenant: str, ticket_key: str) -> HelpdeskTicket | None:
        """Look for the ticket whose subject bears our key. Errors: HelpdeskError."""
        del tenant
        stamp = key_stamp(ticket_key)
        params = {"query": f"Subject LIKE '{stamp}'", "fields": "Subject"}
        reply = self._line.send(Call(method="GET", path="/REST/2.0/tickets", params=params))
        ours = [each.id for each in understood(reply, _Tickets).items if stamp in each.Subject]
        return _named(min(ours)) if ours else None

    def read(self, *, tenant: str, external_id: str) -> HelpdeskStatus | None:
        """Read where a ticket stands; None when it is gone. Errors: HelpdeskError."""
        del tenant
        with self._line.one_call():
            return self._read(f"/REST/2.0/ticket/{quote(external_id, safe='')}")

    def _read(self, path: str) -> HelpdeskStatus | None:
        reply = self._line.send(Call(method="GET", path=path))
        if is_gone(self._line, reply, knows=_WHO_WE_ARE, kind=_Root):
            return None
        status = _MEANING.get(understood(reply, _Ticket).Status, "IN_PROGRESS")
        return HelpdeskStatus(status=status, solution=self._solution(path) if status == "SOLVED" else None)

    def _solution(self, path: str) -> str | None:
        """Give the last reply of the correspondence, which is what the requestor was sent."""
        asked = {"fields": "Type", "per_page": "100"}
        acts = readable(self._line.send(Call(method="GET", path=f"{path}/history", params=asked)), _Acts)
        replies = [each.id for each in acts.items if each.Type == "Correspond"] if acts else []
        if not replies:
            return None
        path = f"/REST/2.0/transaction/{max(replies)}/attachments"
        asked = {"fields": "ContentType,Content"}
        found = readable(self._line.send(Call(method="GET", path=path, params=asked)), _Attachments)
        texts = [each for each in found.items if each.ContentType.startswith("text/")] if found else []
        return plain_solution(texts[0].text(), is_html="html" in texts[0].ContentType) if texts else None

    def _body(self, ticket: CreateTicket) -> dict[str, object]:
        text = self._write(ticket, _LENGTHS)
        asks = requester_of(ticket)
        return {
            "Queue": self._settings.queue,
            "Subject": text.subject,
            "Requestor": asks.email if asks else self._settings.requestor,
            "Content": text.plain,
            "ContentType": "text/plain",
        }


def connect_request_tracker(name: str, write: Write) -> Helpdesk:
    """Build a Request Tracker from its settings. Errors: SettingsError."""
    return RequestTracker(name, read_settings(RequestTrackerSettings, name), write)


def _named(ticket_id: int) -> HelpdeskTicket:
    return HelpdeskTicket(external_id=str(ticket_id), number=f"#{ticket_id}")
