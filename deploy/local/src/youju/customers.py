"""Ask bff what is held about a customer, to forget it, and what customers think of answers."""

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import httpx

from youju.addresses import customer_url
from youju.http import Body, checked, parsed, talking
from youju.staff_tokens import StaffAuth

_CUSTOMERS: Final = "/v1/staff/customers"
_FEEDBACK: Final = "/v1/staff/feedback"


class Erased(Body):
    """What was erased at once."""

    conversations: int
    attempts: int


class _Export(Body):
    items: tuple[dict[str, Any], ...]  # the service's own conversations, passed on as they are
    next_cursor: str | None


class Judgement(Body):
    """What a customer thinks of an answer."""

    attempt_id: str
    rating: str
    reason_code: str | None
    comment: str | None
    judged_at: datetime
    question: str
    knowledge_version: int | None
    documents: tuple[str, ...]


class _Judgements(Body):
    items: tuple[Judgement, ...]
    next_cursor: str | None


@contextmanager
def customer_staff(settings: Mapping[str, str], tenant: str) -> Generator[httpx.Client]:
    """Open a client that may act for a tenant's customers. Errors: Trouble when nothing answers."""
    keys = Path(settings["YOUJU_KEYS_DIRECTORY"])
    auth = StaffAuth(keys, tenant=tenant, actor="terminal", roles=("operator",))
    with talking(customer_url(settings), auth=auth) as client:
        yield client


def erase(client: httpx.Client, customer: str) -> Erased:
    """Erase a customer. Errors: Trouble."""
    return parsed(client.post(f"{_CUSTOMERS}/erasures", json={"customer": customer}), Erased)


def export(client: httpx.Client, customer: str) -> Iterator[dict[str, Any]]:  # JSON of the service
    """Give the conversations of a customer to the last page. Errors: Trouble."""
    query = {"customer": customer}
    while True:
        page = parsed(client.get(f"{_CUSTOMERS}/export", params=query), _Export)
        yield from page.items
        if page.next_cursor is None:
            return
        query["cursor"] = page.next_cursor


def list_judgements(client: httpx.Client, wanted: Mapping[str, str]) -> Iterator[Judgement]:
    """Give judgements, the newest first, to the last page. Errors: Trouble."""
    query = {**wanted, "limit": "100"}
    while True:
        page = parsed(client.get(_FEEDBACK, params=query), _Judgements)
        yield from page.items
        if page.next_cursor is None:
            return
        query["cursor"] = page.next_cursor


def export_judgements(client: httpx.Client, wanted: Mapping[str, str], form: str) -> Iterator[bytes]:
    """Give the service's own export piece by piece. Errors: Trouble."""
    with client.stream("GET", f"{_FEEDBACK}/export", params={**wanted, "format": form}) as answer:
        yield from checked(answer).iter_bytes()
