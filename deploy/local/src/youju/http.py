"""Talk to a running installation over HTTP, and turn its problem documents into trouble."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final, TypeVar

import httpx
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from youju.trouble import Trouble

TIMEOUT_SECONDS: Final = 60

BodyT = TypeVar("BodyT", bound=BaseModel)


class Body(BaseModel):
    """A body we read or write: camelCase outside, unknown fields of a newer service ignored."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, validate_by_name=True, serialize_by_alias=True)


class ProblemBody(Body):
    """What we show of an RFC 9457 problem document."""

    detail: str
    errors: tuple[dict[str, object], ...] = ()


@contextmanager
def talking(url: str, token: str | None = None, *, auth: httpx.Auth | None = None) -> Generator[httpx.Client]:
    """Open a client that never goes through a proxy; `auth` signs each call where one token would not last.

    Errors: Trouble when nothing answers or the connection breaks.
    """
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    try:
        with httpx.Client(base_url=url, headers=headers, auth=auth, timeout=TIMEOUT_SECONDS, trust_env=False) as client:
            yield client
    except httpx.ConnectError as refused:
        raise Trouble(f"Nothing answers at {url}; start Youju with `make up`.") from refused
    except httpx.TransportError as broken:
        raise Trouble(f"The connection to {url} broke: {broken or type(broken).__name__}.") from broken


def parsed(response: httpx.Response, kind: type[BodyT]) -> BodyT:
    """Read a good answer.

    Errors: Trouble with the sentence of the problem document, or when the answer makes no sense.
    """
    checked(response)
    try:
        return kind.model_validate_json(response.content)
    except ValidationError as strange:
        raise Trouble(f"{response.url} answers something this release does not understand.") from strange


def checked(response: httpx.Response) -> httpx.Response:
    """Give a good answer back.

    Errors: Trouble with the sentence of the problem document.
    """
    if response.is_success:
        return response
    try:
        problem = ProblemBody.model_validate_json(response.read())
    except ValidationError:
        raise Trouble(f"{response.url} answers with status {response.status_code}.") from None
    faults = (_shown(each) for each in problem.errors)
    raise Trouble(problem.detail, details=tuple(each for each in faults if f"{each}." != problem.detail))


def _shown(error: dict[str, object]) -> str:
    return ": ".join(str(value) for value in error.values())
