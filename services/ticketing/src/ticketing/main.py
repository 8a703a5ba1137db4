"""Serve the desk's staff API, health and metrics of ticketing."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from fastapi import FastAPI

from runtime.application import build_application, serve
from runtime.database import Database
from runtime.descriptions import openapi_document
from runtime.migrating import newest_migration
from runtime.refusing_start import refusing_plainly
from runtime.starting import start_process
from runtime.tokens import KeyRing, public_file
from ticketing.adapters.choosing import connect_all
from ticketing.adapters.inbound import inbound_helpdesks
from ticketing.api import hooks, ledger, notices, parked, tickets
from ticketing.settings import TicketingSettings
from ticketing.tasks.edge import SERVICE

_MIGRATIONS: Final = Path(__file__).parent / "migrations"


def create_app(settings: TicketingSettings) -> FastAPI:
    """Build the application; nothing connects before its lifespan starts."""
    database = Database(settings.database_url, pool_size=settings.database_pool_size)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncGenerator[None]:
        await database.refuse_unsafe_role()
        yield
        await database.close()

    ready = {"database": newest_migration(database, folder=_MIGRATIONS)}
    app = build_application(title="Youju ticketing", version="1", lifespan=lifespan, ready=ready)
    app.state.database = database
    app.state.staff_keys = KeyRing(public_file(settings.keys_directory, "staff"))
    app.state.is_polled = {name: helpdesk.is_polled for name, helpdesk in connect_all(settings.helpdesks).items()}
    app.state.inbound = inbound_helpdesks(settings.helpdesks)
    app.openapi = lambda: openapi_document(app)
    for router in (tickets.router, ledger.router, parked.router, hooks.router, notices.router):
        app.include_router(router)
    return app


@refusing_plainly(SERVICE)
def run() -> None:
    """Serve with the settings of the environment."""
    settings = start_process(TicketingSettings, service=SERVICE)
    serve(create_app(settings), host=settings.host, port=settings.port)


if __name__ == "__main__":
    run()
