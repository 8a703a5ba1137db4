"""Ask a question over the customer API, as a guest of a tenant."""

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager

import httpx

from youju.trouble import Trouble
from youju_client import ConnectionLostError, ProblemError, YoujuClient, open_guest
from youju_client.bodies import Attempt
from youju_client.events import Event


@contextmanager
def guest(url: str, tenant: str) -> Generator[YoujuClient]:
    """Open a client that carries a guest's token. Errors: Trouble when bff refuses or does not answer."""
    try:
        with open_guest(url, tenant, channel="web") as client:
            yield client
    except ProblemError as no:
        details = tuple(f"{each.field}: {each.message}" for each in no.problem.errors)
        raise Trouble(str(no), details=details) from no
    except httpx.ConnectError as refused:
        raise Trouble(f"Nothing answers at {url}; start Youju with `make up`.") from refused
    except (httpx.TransportError, ConnectionLostError) as broken:
        raise Trouble(f"The connection to {url} broke: {broken or type(broken).__name__}.") from broken


def ask(client: YoujuClient, body: Mapping[str, object]) -> Attempt:
    """Ask in a conversation of its own and wait for the result. Errors: those of the client."""
    return client.ask(client.open_conversation().conversation_id, body)


def ask_streaming(client: YoujuClient, body: Mapping[str, object]) -> Iterator[Event]:
    """Ask in a conversation of its own and give every event as it arrives. Errors: those of the client."""
    return client.ask_streaming(client.open_conversation().conversation_id, body)
