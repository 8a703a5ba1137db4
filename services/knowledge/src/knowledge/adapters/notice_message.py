"""What a notice says to a program and to a person: ids, names and days of our records, never a customer's text."""

import json
from collections.abc import Mapping
from typing import Final

from contracts.ids import printed
from knowledge.versions.notices import Notice, NoticeKind

_SENTENCES: Final[Mapping[NoticeKind, str]] = {
    "OVERDUE": "These rules are overdue for review:",
    "EXPIRING": "This rule ends, and nothing follows it:",
    "CONFLICT": "Policies seem to disagree:",
    "RECALL": "Answers were given from texts that are gone:",
}
EVENT_TYPE: Final = "knowledge.notice"


def message_id(notice: Notice) -> str:
    """Name a notice to its receiver: the same at every try, so that it can tell a repeat."""
    return printed("ntc", notice.notice_id)


def as_json(notice: Notice, *, tenant: str) -> bytes:
    """Write the body of a webhook. Source: Standard Webhooks, `type`, `timestamp` and `data`."""
    data = {
        "tenant": tenant,
        "noticeId": message_id(notice),
        "kind": notice.kind,
        "subject": notice.subject,
        "period": notice.period,
        "items": [dict(item) for item in notice.items],
    }
    body = {"type": EVENT_TYPE, "timestamp": notice.created_at.isoformat(), "data": data}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def as_text(notice: Notice) -> str:
    """Write the text of a mail."""
    lines = (", ".join(f"{name}: {value}" for name, value in item.items() if value) for item in notice.items)
    return "\n".join([_SENTENCES[notice.kind], "", *(f"- {line}" for line in lines), ""])


def headline(notice: Notice, *, tenant_name: str) -> str:
    """Write the subject of a mail: one line."""
    told = f"[Youju] {tenant_name}: {notice.kind.lower()} {notice.subject} {notice.period}".strip()
    return " ".join(told.split())
