"""See over the staff API where escalations stand, and help those that wait for a person."""

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import quote

import httpx

from youju.addresses import desk_url
from youju.http import Body, parsed, talking
from youju.staff_tokens import staff_token

_LIFETIME: Final = timedelta(minutes=10)
_PAGE: Final = {"limit": "100"}


class Queue(Body):
    """How many rows wait in one place, and for how long the oldest has."""

    name: str
    depth: int
    oldest_seconds: float | None


class _Queues(Body):
    items: tuple[Queue, ...]


class LedgerTicket(Body):
    """Where an escalation stands between us and its helpdesk."""

    ticket_id: str
    ticket_key: str
    state: str
    is_open: bool
    helpdesk: str | None
    ticket_number: str | None
    status: str
    received_at: datetime


class LedgerTry(Body):
    """One try as it was recorded."""

    helpdesk: str
    step: str | None
    started_at: datetime
    outcome: str | None
    latency_ms: int | None
    detail: str | None


class LedgerView(Body):
    """An escalation and all its tries."""

    ticket: LedgerTicket
    tries: tuple[LedgerTry, ...]


class _Tickets(Body):
    items: tuple[LedgerTicket, ...]
    next_cursor: str | None


class Parked(Body):
    """A message that was put aside, and why."""

    parked_id: str
    type: str
    reason: str
    detail: str
    parked_at: datetime


class _ParkedMessages(Body):
    items: tuple[Parked, ...]
    next_cursor: str | None


_PageT = TypeVar("_PageT", _Tickets, _ParkedMessages)


@contextmanager
def desk_staff(settings: Mapping[str, str], tenant: str) -> Generator[httpx.Client]:
    """Open a client that may work at a tenant's desk. Errors: Trouble when nothing answers."""
    keys = Path(settings["YOUJU_KEYS_DIRECTORY"])
    token = staff_token(keys, tenant=tenant, actor="terminal", roles=("operator",), lifetime=_LIFETIME)
    with talking(desk_url(settings), token) as client:
        yield client


def measure_queues(client: httpx.Client) -> tuple[Queue, ...]:
    """Say what waits where. Errors: Trouble."""
    return parsed(client.get("/v1/staff/queues"), _Queues).items


def list_ledger(client: httpx.Client, state: str | None) -> Iterator[LedgerTicket]:
    """List escalations, the newest first, to the last page. Errors: Trouble."""
    wanted = {} if state is None else {"state": state}
    for page in _pages(client, "/v1/staff/ledger", _Tickets, wanted):
        yield from page.items


def read_ledger(client: httpx.Client, ticket_id: str) -> LedgerView:
    """Read one escalation with its tries. Errors: Trouble."""
    return parsed(client.get(_path(ticket_id)), LedgerView)


def requeue(client: httpx.Client, ticket_id: str, *, is_surely_absent: bool) -> LedgerTicket:
    """Let a ticket be tried again. Errors: Trouble."""
    return parsed(client.post(f"{_path(ticket_id)}/requeue", json={"isSurelyAbsent": is_surely_absent}), LedgerTicket)


def attach(client: httpx.Client, ticket_id: str, *, external_id: str, number: str) -> LedgerTicket:
    """Write down a ticket that was found or opened by hand. Errors: Trouble."""
    body = {"externalId": external_id, "number": number}
    return parsed(client.post(f"{_path(ticket_id)}/attach", json=body), LedgerTicket)


def list_parked(client: httpx.Client) -> Iterator[Parked]:
    """List messages to ticketing that were put aside, the newest first, to the last page. Errors: Trouble."""
    for page in _pages(client, "/v1/staff/parked", _ParkedMessages, {}):
        yield from page.items


def list_parked_news(client: httpx.Client) -> Iterator[Parked]:
    """List messages to bff that were put aside, as above. Errors: Trouble."""
    for page in _pages(client, "/v1/staff/parked-news", _ParkedMessages, {}):
        yield from page.items


def replay(client: httpx.Client, parked_id: str) -> Parked:
    """Send a message to ticketing through again. Errors: Trouble."""
    return parsed(client.post(f"/v1/staff/parked/{quote(parked_id, safe='')}/replay"), Parked)


def replay_news(client: httpx.Client, parked_id: str) -> Parked:
    """Send a message to bff through again. Errors: Trouble."""
    return parsed(client.post(f"/v1/staff/parked-news/{quote(parked_id, safe='')}/replay"), Parked)


def _pages(client: httpx.Client, path: str, kind: type[_PageT], wanted: Mapping[str, str]) -> Iterator[_PageT]:
    cursor: str | None = ""
    while cursor is not None:
        query = {**_PAGE, **wanted, **({"cursor": cursor} if cursor else {})}
        page = parsed(client.get(path, params=query), kind)
        yield page
        cursor = page.next_cursor


def _path(ticket_id: str) -> str:
    return f"/v1/staff/ledger/{quote(ticket_id, safe='')}"
