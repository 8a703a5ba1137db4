"""Members of staff who call the staff API of knowledge."""

import base64
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

from contracts.service_token import StaffRole
from knowledge.api.dependencies import AUDIENCE_STAFF
from runtime.tokens import KeySet, sign


@dataclass(frozen=True, slots=True)
class Office:
    """Members of staff of one tenant with their browser."""

    client: httpx.AsyncClient
    keys: KeySet
    tenant: str
    actor: str = "staff-1"

    async def call(self, method: str, path: str, *roles: StaffRole, **body: Any) -> httpx.Response:  # JSON of any shape
        """Call as a member of staff with these roles."""
        sent = body if method in {"POST", "PUT"} else None
        return await self.client.request(method, f"/v1/staff{path}", headers=self.bearer(*roles), json=sent)

    async def publish(self, number: int) -> httpx.Response:
        """Approve a version and make it current."""
        await self.call("POST", f"/versions/{number}/approve", "publisher")
        return await self.call("POST", f"/versions/{number}/publish", "publisher")

    def colleague(self, actor: str, *, tenant: str | None = None) -> "Office":
        """Give the office as another member of staff sees it."""
        return replace(self, actor=actor, tenant=tenant or self.tenant)

    def bearer(self, *roles: StaffRole, tenant: str | None = None, audience: str = AUDIENCE_STAFF) -> dict[str, str]:
        """Sign a token."""
        claims = {"tenant": tenant or self.tenant, "actor": self.actor, "roles": list(roles)}
        token = sign(self.keys, claims, audience=audience, now=datetime.now(UTC), lifetime=timedelta(minutes=1))
        return {"authorization": f"Bearer {token}"}

    async def bring_in(self, *files: tuple[str, bytes], **opening: str) -> dict[str, Any]:  # as above
        """Take files through an import and say how it ended."""
        opened = await self.call("POST", "/imports", "owner", **opening)
        import_id = opened.json()["importId"]
        listed = [{"path": path, "contentBase64": base64.b64encode(content).decode()} for path, content in files]
        await self.call("POST", f"/imports/{import_id}/files", "owner", files=listed)
        await self.call("POST", f"/imports/{import_id}/start", "owner")
        return (await self.call("GET", f"/imports/{import_id}", "owner")).json()
