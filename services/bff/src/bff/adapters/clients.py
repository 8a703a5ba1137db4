"""Open everything a process of bff talks to, once, and close it again."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from redis.asyncio import Redis

from bff.adapters.event_log import ValkeyEventLog
from bff.adapters.knowledge import HttpKnowledge
from bff.adapters.records import PostgresRecord
from bff.adapters.valkey import open_valkey
from bff.settings import BffSettings
from contracts.ids import IdSource, uuid7
from runtime.clock import Clock, utc_now
from runtime.database import Database
from runtime.http import make_client
from runtime.tenants import TenantDirectory
from runtime.tokens import KeyRing, private_file


@dataclass(frozen=True, slots=True, kw_only=True)
class Clients:
    """What the HTTP edge and the pulse both need."""

    settings: BffSettings
    database: Database
    valkey: Redis
    knowledge: HttpKnowledge
    event_log: ValkeyEventLog
    record: PostgresRecord
    tenants: TenantDirectory
    clock: Clock
    new_id: IdSource


@asynccontextmanager
async def open_clients(settings: BffSettings) -> AsyncGenerator[Clients]:
    """Open the clients of a process. Errors: UnsafeRoleError when the database role could read past the policies."""
    tenants = TenantDirectory(settings.tenants_file)
    keys = KeyRing(private_file(settings.keys_directory, "service"))
    database = Database(settings.database_url, pool_size=settings.database_pool_size)
    valkey = open_valkey(settings.redis_url)
    client = make_client(settings.knowledge_url, timeout_seconds=settings.attempt_seconds)
    try:
        await database.refuse_unsafe_role()
        yield Clients(
            settings=settings,
            database=database,
            valkey=valkey,
            knowledge=HttpKnowledge(client, keys=keys, clock=utc_now),
            event_log=ValkeyEventLog(valkey),
            record=PostgresRecord(database, find_tenant=tenants.find, new_id=uuid7, clock=utc_now),
            tenants=tenants,
            clock=utc_now,
            new_id=uuid7,
        )
    finally:
        await client.aclose()
        await valkey.aclose()
        await database.close()
