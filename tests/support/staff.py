"""A member of staff who looks at the desk."""

import httpx

from contracts.customer import Escalation
from runtime.http import trust
from tests.support.system import System


def tickets_of(system: System, escalation: Escalation, *, tenant: str = "demo") -> list[dict[str, object]]:
    """List the desk's tickets for an escalation."""
    return [item for item in desk_tickets(system, tenant=tenant) if item["escalationId"] == escalation.escalation_id]


def desk_tickets(system: System, *, tenant: str = "demo") -> list[dict[str, object]]:
    """List the newest hundred tickets of the desk."""
    token = system.command("token", "--tenant", tenant, "--role", "support").stdout.strip()
    headers = {"Authorization": f"Bearer {token}"}
    answer = httpx.get(
        f"{system.ticketing}/v1/staff/tickets", params={"limit": 100}, headers=headers, trust_env=False, verify=trust()
    )
    items: list[dict[str, object]] = answer.raise_for_status().json()["items"]
    return items
