"""Give the tests of the staff API an application and tokens."""

from base64 import b64encode
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from contracts.service_token import StaffRole
from runtime.clock import utc_now
from runtime.database import Database
from runtime.tokens import add_key, read_keys, sign
from tests.support.databases import OpenDatabase
from ticketing.main import create_app
from ticketing.settings import TicketingSettings

HOOK_KEY = b"what the helpdesk signs with, long enough"
HOOK_SECRET = "whsec_" + b64encode(HOOK_KEY).decode()

NOTICE_SECRET = "what-zendesk-or-zammad-signs-with"
NEW_NOTICE_SECRET = "what-it-signs-with-from-tomorrow"
_ELSEWHERE = {
    "ZENDESK_EMAIL": "agent@shop.example",
    "ZENDESK_API_TOKEN": "a-token",
    "ZENDESK_REQUESTER_EMAIL": "shop@shop.example",
    "ZAMMAD_TOKEN": "a-token",
    "ZAMMAD_GROUP": "Support",
    "ZAMMAD_CUSTOMER_EMAIL": "shop@shop.example",
}

Bearer = Callable[..., dict[str, str]]


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys")
    add_key(folder / "staff.private.json", folder / "staff.public.json")
    return folder


@pytest.fixture(scope="module")
async def client(service_database: OpenDatabase, keys: Path, redis_url: str) -> AsyncIterator[httpx.AsyncClient]:
    environment = pytest.MonkeyPatch()
    environment.setenv("YOUJU_HELPDESK_ACME_URL", "https://helpdesk.example/hooks")
    environment.setenv("YOUJU_HELPDESK_ACME_SECRETS", HOOK_SECRET)
    environment.setenv("YOUJU_HELPDESK_ACME_INBOUND_SECRETS", HOOK_SECRET)
    for name, value in _ELSEWHERE.items():
        environment.setenv(f"YOUJU_HELPDESK_{name}", value)
    for name in ("ZENDESK", "ZAMMAD"):
        environment.setenv(f"YOUJU_HELPDESK_{name}_URL", "https://helpdesk.example")
        environment.setenv(f"YOUJU_HELPDESK_{name}_INBOUND_SECRETS", f"{NOTICE_SECRET} {NEW_NOTICE_SECRET}")
    settings = TicketingSettings(
        redis_url=redis_url,
        keys_directory=keys,
        tenants_file=keys / "tenants.yaml",
        database_url=service_database("ticketing").app,
        helpdesks={"acme": "webhook", "zendesk": "zendesk", "zammad": "zammad"},
    )
    app = create_app(settings)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://desk") as client:
        yield client
    database: Database = app.state.database
    await database.close()
    environment.undo()


@pytest.fixture
def bearer(keys: Path) -> Bearer:
    def make(tenant: str, *roles: StaffRole, audience: str = "staff") -> dict[str, str]:
        claims = {"tenant": tenant, "actor": "li", "roles": list(roles or ("support",))}
        token = sign(
            read_keys(keys / "staff.private.json"),
            claims,
            audience=audience,
            now=utc_now(),
            lifetime=timedelta(minutes=5),
        )
        return {"Authorization": f"Bearer {token}"}

    return make
