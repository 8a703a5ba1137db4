"""The description of events holds what is sent, and every reference in it leads somewhere."""

from collections.abc import Iterator
from typing import Any, cast, get_args

import pytest

from contracts import messages
from contracts.messages import CREATE_TICKET
from contracts.stream import AttemptEvent
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


def test_every_message_type_of_the_contracts_is_described() -> None:
    types = {value for name, value in vars(messages).items() if name.isupper() and str(value).startswith("youju.")}

    assert types <= {message["name"] for message in events_document()["components"]["messages"].values()}


def test_every_message_is_told_somewhere() -> None:
    document = events_document()

    told = {name for channel in document["channels"].values() for name in channel["messages"]}
    assert told == set(document["components"]["messages"])


def test_every_queue_that_is_named_has_a_channel() -> None:
    queues = {value for name, value in vars(messages).items() if name.endswith("_QUEUE")}

    assert queues <= set(events_document()["channels"])


def test_the_stream_is_the_union_that_bff_sends() -> None:
    assert set(events_document()["channels"]["attempt"]["messages"]) == {
        event.__name__ for event in get_args(AttemptEvent)
    }
