"""Put each adapter beside the double it is tested against: what all of them are put through is written once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from services.ticketing.tests.doubles import request_tracker, webhook, zammad, zendesk
from services.ticketing.tests.doubles.double import Double
from services.ticketing.tests.doubles.request_tracker import RequestTrackerDouble
from services.ticketing.tests.doubles.webhook import WebhookDouble
from services.ticketing.tests.doubles.zammad import ZammadDouble
from services.ticketing.tests.doubles.zendesk import ZendeskDouble
from ticketing.adapters.choosing import connect_all
from ticketing.settings import HelpdeskKind
from ticketing.tickets.helpdesk import Helpdesk


@dataclass(frozen=True)
class Bench:
    """A double, the settings that lead to it, which of them is a secret, and what breaks a create for good."""

    kind: HelpdeskKind
    double: Double
    settings: Mapping[str, str]
    secret: str
    spoilt: Mapping[str, str]
    moves: Mapping[str, Any] = field(default_factory=dict[str, Any])  # by what a person does: fields of the double

    def connect(self, monkeypatch: pytest.MonkeyPatch, **other: str) -> Helpdesk:
        """Build the adapter as the services do, from the environment."""
        given = {"url": self.double.url, "seconds": "20", **self.settings, **other}
        for name, value in given.items():
            monkeypatch.setenv(f"YOUJU_HELPDESK_ACME_{name.upper()}", value)
        return connect_all({"acme": self.kind})["acme"]


def make_benches() -> tuple[Bench, ...]:
    """Make one bench for every kind of helpdesk elsewhere."""
    return (
        Bench(
            kind="zendesk",
            double=ZendeskDouble(),
            settings={"email": zendesk.EMAIL, "api_token": zendesk.TOKEN, "requester_email": "shop@shop.example"},
            secret="api_token",
            spoilt={"group_id": "5"},
            moves={"take": {"status": "open"}, "solve": {"status": "solved"}},
        ),
        Bench(
            kind="zammad",
            double=ZammadDouble(),
            settings={"token": zammad.TOKEN, "group": zammad.GROUP, "customer_email": "shop@shop.example"},
            secret="token",
            spoilt={"group": "Elsewhere"},
            moves={"take": {"state": "pending reminder"}, "solve": {"state": "closed"}},
        ),
        Bench(
            kind="request_tracker",
            double=RequestTrackerDouble(),
            settings={"token": request_tracker.TOKEN, "requestor": "shop@shop.example"},
            secret="token",
            spoilt={"queue": "Elsewhere"},
            moves={"take": {"Status": "open"}, "solve": {"Status": "resolved"}},
        ),
        Bench(
            kind="webhook",
            double=WebhookDouble(),
            settings={"secrets": f"{webhook.SECRET} {webhook.OLD_SECRET}"},
            secret="secrets",
            spoilt={"secrets": webhook.OLD_SECRET},
        ),
    )
