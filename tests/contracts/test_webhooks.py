"""What the services send to others' addresses is what the description of events promises."""

import json
from datetime import UTC, datetime
from uuid import UUID

import pytest

from contracts.messages import CreateTicket
from contracts.webhooks import NOTICE, TICKET, NoticeWebhook, TicketMoveWebhook, TicketWebhook
from knowledge.adapters.notice_message import EVENT_TYPE, as_json
from knowledge.versions.notices import Notice
from ticketing.adapters.webhook import EVENT
from ticketing.api.hooks import HookEvent

pytestmark = pytest.mark.unit

AT = datetime(2026, 11, 30, tzinfo=UTC)


def test_a_notice_is_the_webhook_that_is_promised() -> None:
    notice = Notice(
        notice_id=UUID(int=7),
        kind="EXPIRING",
        subject="returns:2026-07",
        period="2026-12-31",
        items=({"slug": "returns", "lastDay": "2026-12-31", "owner": None},),
        created_at=AT,
        deliveries=(),
    )

    sent = NoticeWebhook.model_validate_json(as_json(notice, tenant="demo"))

    assert (EVENT_TYPE, sent.type) == (NOTICE, NOTICE)
    assert (sent.model_extra, sent.data.model_extra) == ({}, {})
    assert sent.data.kind == "EXPIRING"


def test_an_order_for_a_ticket_has_all_its_fields_on_the_wire() -> None:
    promised = set(TicketWebhook.model_json_schema()["$defs"]["TicketOrder"]["properties"])

    assert promised == set(CreateTicket.model_json_schema()["properties"]) | {"subject", "textPlain", "textHtml"}
    assert EVENT == TICKET


def test_a_move_is_read_as_it_is_promised() -> None:
    body = json.dumps({"type": "x", "data": {"ticketKey": "k", "status": "SOLVED", "solution": "补发"}})

    promised, read = TicketMoveWebhook.model_validate_json(body), HookEvent.model_validate_json(body)

    assert promised.data.model_dump() == read.data.model_dump()
