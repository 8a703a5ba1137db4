"""Call a helpdesk over HTTP: its address and credentials, one deadline for a whole call, and what its answers mean."""

import asyncio
import json
import time
from collections.abc import Coroutine, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, TypeVar, cast

import httpx
from pydantic import AnyHttpUrl, BaseModel, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import SettingsConfigDict

from runtime.clock import utc_now
from runtime.http import CONNECT_SECONDS, trust
from runtime.retry_after import read_retry_after
from runtime.settings import SourcedSettings, load_settings
from ticketing.tickets.helpdesk import (
    HelpdeskError,
    InFlightError,
    Limits,
    NotCreatedError,
    OutcomeUnknownError,
    RefusedError,
)

# A lease lasts 75 seconds and a task 60; no call may come near either.
LONGEST_CALL_SECONDS: Final = 50
_LARGEST_REPLY_BYTES: Final = 4 * 1024 * 1024
_LONGEST_PATIENCE: Final = timedelta(hours=1)
_NOT_FOUND: Final = 404
_SHORTEST_SECRET: Final = 16
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
_ENDS: Final[ContextVar[float | None]] = ContextVar("ends", default=None)

BodyT = TypeVar("BodyT", bound=BaseModel)


class HelpdeskSettings(SourcedSettings):
    """What every helpdesk is told from outside: `YOUJU_HELPDESK_<NAME>_*`, secrets also as `*_FILE`."""

    url: AnyHttpUrl
    seconds: float = Field(default=20, gt=0, le=LONGEST_CALL_SECONDS, description="For a whole call")
    most_at_once: int = Field(default=4, ge=1, le=64, description="Calls at the same time, over all processes")
    failures_to_rest: int = Field(default=5, ge=1, le=100, description="Failures in a row that let it rest")

    @field_validator("url")
    @classmethod
    def _keeps_secrets(cls, url: AnyHttpUrl) -> AnyHttpUrl:
        if url.scheme != "https" and url.host not in _LOOPBACK:
            raise ValueError("credentials only travel over https, or on this machine")
        if url.username or url.password or url.query:
            raise ValueError("an address holds no credentials and no query")
        return url

    @property
    def limits(self) -> Limits:
        """Give the limits of its gate."""
        return Limits(most_at_once=self.most_at_once, failures_to_open=self.failures_to_rest)


class NotifyingSettings(HelpdeskSettings):
    """Settings of a helpdesk that tells us when a ticket changed. Two secrets, apart by a space: one and its successor."""

    inbound_secrets: SecretStr | None = Field(
        default=None, description="With which it signs; none: nothing is believed"
    )

    @field_validator("inbound_secrets")
    @classmethod
    def _are_long(cls, secrets: SecretStr | None) -> SecretStr | None:
        if secrets is None:
            return None
        words = secrets.get_secret_value().split()
        if not words or any(len(word) < _SHORTEST_SECRET for word in words):
            raise ValueError(f"at least one secret is needed, and each has {_SHORTEST_SECRET} characters or more")
        return secrets

    @property
    def inbound_keys(self) -> tuple[bytes, ...]:
        """Give what signatures are checked with."""
        return (
            tuple(each.encode() for each in self.inbound_secrets.get_secret_value().split())
            if self.inbound_secrets
            else ()
        )


SettingsT = TypeVar("SettingsT", bound=HelpdeskSettings)


def read_settings(kind: type[SettingsT], name: str) -> SettingsT:
    """Read the settings of one helpdesk. Errors: SettingsError with one sentence for each fault."""
    config = SettingsConfigDict(
        **{**kind.model_config, "env_prefix": f"YOUJU_HELPDESK_{name.upper()}_"}  # pyright: ignore[reportArgumentType]  # keys of the same TypedDict
    )
    named = cast("type[SettingsT]", type(kind.__name__, (kind,), {"model_config": config}))  # a subclass by its making
    return load_settings(named)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request. `content` is sent as it is, because a signature covers its bytes."""

    method: str
    path: str
    params: Mapping[str, str] | None = None
    headers: Mapping[str, str] | None = None
    content: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back: `body` is the parsed JSON, None when it is none."""

    status: int
    retry_after: timedelta | None
    body: object


class Line:
    """The connection to one helpdesk. It knows the credentials and shows them to nobody else."""

    def __init__(self, settings: HelpdeskSettings, *, headers: Mapping[str, str]) -> None:
        """Take the address, the deadline and the headers that say who we are."""
        self._base_url = str(settings.url).rstrip("/")
        self._seconds = settings.seconds
        self._headers = {"Accept": "application/json", "User-Agent": "youju-ticketing", **headers}

    @contextmanager
    def one_call(self) -> Generator[None]:
        """Let all requests of the block share one deadline: to whoever asked, they are a single call."""
        before = _ENDS.set(_stopwatch() + self._seconds)
        try:
            yield
        finally:
            _ENDS.reset(before)

    def send(self, call: Call) -> Reply:
        """Send a request and read the whole reply before the deadline, however slowly it trickles in.

        Errors: NotCreatedError when the request certainly did not arrive, OutcomeUnknownError when the reply was lost.
        """
        ends = _ENDS.get()
        seconds = self._seconds if ends is None else ends - _stopwatch()
        if seconds <= 0:
            raise OutcomeUnknownError("No time was left to ask once more.")
        try:
            return _run(self._send(call, seconds))
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as unreached:
            raise NotCreatedError(f"Not reached: {type(unreached).__name__}.") from unreached
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError) as wrong:
            raise RefusedError("The request cannot be sent as it is.") from wrong
        except (httpx.HTTPError, TimeoutError, OSError) as lost:
            raise OutcomeUnknownError(f"No reply: {type(lost).__name__}.") from lost

    async def _send(self, call: Call, seconds: float) -> Reply:
        timeout = httpx.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))
        # Redirects are not followed: the credentials are for this address alone.
        async with (
            httpx.AsyncClient(timeout=timeout, trust_env=False, verify=trust()) as client,
            asyncio.timeout(seconds),
            client.stream(
                call.method,
                self._base_url + call.path,
                params=call.params,
                headers={**self._headers, **(call.headers or {})},
                content=call.content,
            ) as response,
        ):
            return Reply(
                status=response.status_code,
                retry_after=read_retry_after(
                    response.headers.get("Retry-After"), now=utc_now(), longest=_LONGEST_PATIENCE
                ),
                body=_parsed(await _read(response)),
            )


def _stopwatch() -> float:
    return time.monotonic()


def _run(call: Coroutine[Any, Any, Reply]) -> Reply:
    """Run a call in a loop of its own, and leave the loop with the call: a look-up of a name that hangs is not waited for."""
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(call)
    finally:
        # asyncio.run would wait for the thread that looks the name up, which knows no deadline.
        loop.close()


def judge(reply: Reply) -> HelpdeskError | None:
    """Say what a status means for a create; None for success.

    429 and 425 are given before anything is done. A 409 is an earlier request of ours under way. Any 5xx may come after the
    ticket was made, and so may a redirect, which we do not follow. The other 4xx do not heal by themselves.
    """
    detail = f"Status {reply.status}."
    match reply.status:
        case status if 200 <= status < 300:  # noqa: PLR2004 - the classes of HTTP status codes
            return None
        case 425 | 429:
            return NotCreatedError(detail, retry_after=reply.retry_after)
        case 409:
            return InFlightError(detail, retry_after=reply.retry_after)
        case 408:
            return OutcomeUnknownError(detail, retry_after=reply.retry_after)
        case status if not 400 <= status < 500:  # noqa: PLR2004 - as above
            return OutcomeUnknownError(detail, retry_after=reply.retry_after)
        case _:
            return RefusedError(detail)


def understood(reply: Reply, kind: type[BodyT]) -> BodyT:
    """Read a reply. Errors: as `judge`; OutcomeUnknownError when a success says nothing readable."""
    error = judge(reply)
    if error is not None:
        raise error
    try:
        return kind.model_validate(reply.body)
    except ValidationError as strange:
        raise OutcomeUnknownError(f"Status {reply.status} with an unreadable body.") from strange


def readable(reply: Reply, kind: type[BodyT]) -> BodyT | None:
    """Read what is good to have; None where we may not see it.

    Errors: as `understood` for what may heal, so that the next look finds it.
    """
    try:
        return understood(reply, kind)
    except RefusedError:
        return None


def is_gone(line: Line, reply: Reply, *, knows: Call, kind: type[BaseModel]) -> bool:
    """Say whether a 404 means that the ticket is gone: only where the helpdesk still knows who we are.

    An address that leads elsewhere answers 404 to everything. Errors: as `understood`, so that nothing is concluded then.
    """
    if reply.status != _NOT_FOUND:
        return False
    understood(line.send(knows), kind)
    return True


def json_bytes(body: object) -> bytes:
    """Write a body the same way at every try: a helpdesk compares the content of equal keys."""
    return json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


async def _read(response: httpx.Response) -> bytes:
    received = bytearray()
    async for piece in response.aiter_bytes():
        received += piece
        if len(received) > _LARGEST_REPLY_BYTES:
            raise OutcomeUnknownError("The reply is too large.")
    return bytes(received)


def _parsed(content: bytes) -> Any:  # any JSON; models read it
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None
