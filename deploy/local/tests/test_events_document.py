"""The description of events holds what is sent, and every reference in it leads somewhere."""

from collections.abc import Iterator
from typing import Any, cast

import pytest

from contracts.messages import CREATE_TICKET
from youju.events_document import events_document

pytestmark = pytest.mark.unit


def _references(part: Any) -> Iterator[str]:  # any JSON
    if isinstance(part, dict):
        for name, value in cast("dict[str, Any]", part).items():  # as above
            if name == "$ref":
                yield value
            yield from _references(value)
    elif isinstance(part, list):
        for value in cast("list[Any]", part):  # as above
            yield from _references(value)


def test_every_reference_leads_somewhere() -> None:
    document = events_document()

    for reference in _references(document):
        found: Any = document  # as above
        for step in reference.removeprefix("#/").split("/"):
            found = found[step]
        assert found


def test_an_order_for_a_ticket_names_its_version_and_its_fields() -> None:
    components = events_document()["components"]

    assert components["messages"]["CreateTicket"]["name"] == CREATE_TICKET
    assert {"ticketKey", "question", "citations"} <= set(components["schemas"]["CreateTicket"]["required"])
    assert "contact" not in components["schemas"]["CreateTicket"]["required"]
