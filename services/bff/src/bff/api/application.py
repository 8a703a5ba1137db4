"""Build the HTTP edge of bff: the customer API under `/v1`, and the page at `/`."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, asynccontextmanager
from datetime import timedelta
from pathlib import Path
from time import monotonic, time

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles
from starlette.routing import Match, Mount
from starlette.types import Scope

from bff.adapters.clients import Clients, open_clients
from bff.adapters.customers import GuestIssuer
from bff.adapters.erasing import Eraser
from bff.adapters.event_feed import BLOCK_SECONDS, EventFeed
from bff.adapters.key_sets import KeySets
from bff.adapters.limits import Limits
from bff.adapters.running_attempts import RunningAttempts
from bff.adapters.stream_tokens import StreamTokens
from bff.adapters.tenant_tokens import TenantIssuers
from bff.adapters.told_log import ToldLog
from bff.adapters.valkey import open_valkey
from bff.api import (
    asks,
    attempts,
    conversations,
    customers,
    escalations,
    feedback,
    judgements,
    parked,
    sessions,
    stream_tokens,
)
from bff.api.cross_origin import ListedOrigins
from bff.api.edge import Edge
from bff.api.guards import RequestGuards
from bff.api.headers import ApiHeaders, NoBaggage
from bff.api.limiting import Limiting
from bff.api.openapi import TITLE, VERSION, Document, openapi_document
from bff.api.problems import STATUSES
from bff.settings import BffSettings
from contracts.errors import UnavailableError
from runtime.application import Check, build_application
from runtime.migrating import newest_migration
from runtime.tokens import KeyRing, private_file, public_file

_BODY_LIMIT_BYTES = 256 * 1024
_MIGRATIONS = Path(__file__).parent.parent / "migrations"


class Application:
    """The edge of one process, from the opening of its clients to their end."""

    def __init__(self, settings: BffSettings) -> None:
        """Remember the settings; nothing is opened yet."""
        self._settings = settings
        self._edge: Edge | None = None

    @asynccontextmanager
    async def lifespan(self, app: FastAPI) -> AsyncGenerator[None]:
        """Open everything, serve, let running attempts finish, close everything."""
        key_sets = KeySets(stopwatch=monotonic)
        async with open_clients(self._settings) as clients, _open_feed(self._settings) as feed, aclosing(key_sets):
            self._edge = _edge(clients, feed, key_sets)
            app.state.edge = self._edge
            yield
            await self.drain()

    @property
    def edge(self) -> Edge:
        """What the handlers share. Errors: UnavailableError before the application serves."""
        if self._edge is None:
            raise UnavailableError
        return self._edge

    async def drain(self) -> None:
        """Take nothing new, send readers of attempts elsewhere there, and end what cannot finish in time.

        So every open stream ends: with its closing event, or with the word when to attach again.
        """
        self.edge.running.take_nothing_new()
        self.edge.feed.wake_readers()
        await self.edge.running.drain(seconds=self._settings.stop_seconds)

    def lists_origin(self, origin: str) -> bool:
        """Say whether pages of an origin may call the API. Errors: as `edge`."""
        return self.edge.clients.tenants.lists_origin(origin)

    def checks(self) -> Mapping[str, Check]:
        """Name what the API cannot work without. Valkey is not of it: asks are answered without."""
        return {"database": self._check_database}

    async def _check_database(self) -> None:
        await newest_migration(self.edge.clients.database, folder=_MIGRATIONS)()


def build(application: Application, *, page_directory: Path | None) -> FastAPI:
    """Build the ASGI application."""
    app = build_application(
        title=TITLE,
        version=VERSION,
        lifespan=application.lifespan,
        ready=application.checks(),
        statuses=STATUSES,
        body_limit_bytes=_BODY_LIMIT_BYTES,
    )
    for module in (
        sessions,
        conversations,
        asks,
        attempts,
        stream_tokens,
        feedback,
        escalations,
        judgements,
        customers,
        parked,
    ):
        app.include_router(module.router, prefix="/v1")
    app.add_middleware(RequestGuards)
    app.add_middleware(ListedOrigins, is_listed=application.lists_origin)
    app.add_middleware(ApiHeaders)
    app.add_middleware(NoBaggage)
    app.add_middleware(stream_tokens.StreamTokenQuery)
    _write_openapi(app)
    if page_directory is not None and page_directory.is_dir():
        app.router.routes.append(_Page("/", app=StaticFiles(directory=page_directory, html=True), name="page"))
    return app


class _Page(Mount):
    """The customer page, beside the API: what stands under /v1 is answered there alone, also with a method it lacks."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Leave the API's paths to the API."""
        return (Match.NONE, {}) if scope["path"].startswith("/v1/") else super().matches(scope)


def _write_openapi(app: FastAPI) -> None:
    written: list[Document] = []

    def document() -> Document:
        if not written:
            written.append(openapi_document(app))
        return written[0]

    app.openapi = document


@asynccontextmanager
async def _open_feed(settings: BffSettings) -> AsyncGenerator[EventFeed]:
    valkey = open_valkey(settings.redis_url, answer_seconds=BLOCK_SECONDS + 2)
    feed = EventFeed(valkey, limit=settings.open_streams)
    await feed.start()
    try:
        yield feed
    finally:
        await feed.stop()
        await valkey.aclose()


def _edge(clients: Clients, feed: EventFeed, key_sets: KeySets) -> Edge:
    settings = clients.settings
    guest_keys = KeyRing(private_file(settings.keys_directory, "guest"))
    guests = GuestIssuer(
        guest_keys,
        clock=clients.clock,
        new_id=clients.new_id,
        lifetime=timedelta(seconds=settings.session_seconds),
    )
    running = RunningAttempts(
        knowledge=clients.knowledge,
        log=ToldLog(clients.valkey, feed),
        record=clients.record,
        seconds=settings.attempt_seconds,
        limit=settings.running_attempts,
    )
    limits = Limits(clients.valkey, without_valkey=settings.limits_without_valkey, now=time, stopwatch=monotonic)
    return Edge(
        clients=clients,
        feed=feed,
        running=running,
        guests=guests,
        stream_tokens=StreamTokens(guest_keys, clock=clients.clock),
        issuers=TenantIssuers(clients.tenants.all, key_sets),
        limiting=Limiting(limits, settings),
        staff_keys=KeyRing(public_file(settings.keys_directory, "staff")),
        eraser=Eraser(clients, running),
    )
