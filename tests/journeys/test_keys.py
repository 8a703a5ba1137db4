"""Keys rotate under running services: whoever holds a token keeps it, and no request fails."""

import asyncio
from itertools import count

import pytest

from tests.support.customer import Customer
from tests.support.system import System

pytestmark = pytest.mark.journey


async def test_keys_rotate_while_customers_ask(customer: Customer, system: System) -> None:
    done = asyncio.Event()
    staff = system.command("token", "--role", "support").stdout.strip()

    async def ask_on() -> int:
        for number in count(1):
            await customer.ask("退款多久到账？")
            if done.is_set():
                return number
        raise AssertionError

    asking = asyncio.create_task(ask_on())
    for name in ("service", "guest", "staff", "service"):
        said = await asyncio.to_thread(system.command, "keys", "rotate", name)
        assert f"{name} tokens are signed with" in said.stdout
    done.set()

    assert await asking >= 2
    assert system.command("keys", "list").stdout.count("signs") == 3
    tickets = await customer.http.get(
        f"{system.ticketing}/v1/staff/tickets", headers={"Authorization": f"Bearer {staff}"}
    )
    assert tickets.status_code == 200


def test_a_kind_of_key_that_there_is_not_is_named(system: System) -> None:
    refused = system.command("keys", "rotate", "house", check=False)

    assert refused.returncode == 1
    assert "house is no kind of key" in refused.stdout + refused.stderr
