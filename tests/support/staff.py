"""A member of staff who looks at the desk."""

import httpx

from contracts.customer import Escalation
from tests.support.system import System


def tickets_of(system: System, escalation: Escalation, *, tenant: str = "demo") -> list[dict[str, object]]:
    """List the desk's tickets for an escalation."""
    token = system.command("token", "--tenant", tenant, "--role", "support").stdout.strip()
    headers = {"Authorization": f"Bearer {token}"}
    answer = httpx.get(f"{system.ticketing}/v1/staff/tickets", params={"limit": 100}, headers=headers, trust_env=False)
    items = answer.raise_for_status().json()["items"]
    return [item for item in items if item["escalationId"] == escalation.escalation_id]
