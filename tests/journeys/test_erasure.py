"""What is erased is kept nowhere: in no table and in no key of any service. What may be taken along is whole."""

import base64
import json
import secrets
from pathlib import Path

import pytest

from contracts.customer import Attempt
from tests.support.customer import Customer, new_customer, path_of
from tests.support.everything import kept_in_postgres, kept_in_valkey, superuser_url
from tests.support.system import System

pytestmark = pytest.mark.journey


async def test_an_erased_conversation_is_kept_nowhere(customer: Customer, system: System) -> None:
    words = made_up_words()
    attempt = await say_everywhere(customer, system, words)
    before = places(system, words)
    assert {"bff.attempt", "bff.feedback", "bff.escalation", "knowledge.answer_opening", "ticketing.ticket"} <= before

    (await customer.http.delete(f"/v1/conversations/{attempt.conversation_id}")).raise_for_status()

    system.wait(lambda: not places(system, words), f"{words} to be kept nowhere")
    logs = "".join(log.read_text(encoding="utf-8") for log in (system.home / "logs").glob("*.log"))
    assert words not in logs


async def test_an_erased_customer_is_kept_nowhere_and_was_exported_whole(system: System, tmp_path: Path) -> None:
    words, kept = made_up_words(), made_up_words()
    async with new_customer(system.bff) as customer, new_customer(system.bff) as neighbour:
        attempts = [await say_everywhere(customer, system, words) for _ in range(2)]
        await neighbour.ask(f"退款多久到账？{kept}")
        name = subject_of(customer)

        system.command("customers", "export", name, "--to", str(tmp_path / "export.json"))
        system.command("customers", "erase", name, "--yes")

        system.wait(lambda: not places(system, words), f"{words} to be kept nowhere")
    exported = json.loads((tmp_path / "export.json").read_text(encoding="utf-8"))
    assert [each["conversationId"] for each in exported["conversations"]] == [a.conversation_id for a in attempts]
    assert (tmp_path / "export.json").read_text(encoding="utf-8").count(words) >= 6
    assert "bff.attempt" in places(system, kept)


async def say_everywhere(customer: Customer, system: System, words: str) -> Attempt:
    """Leave words wherever a customer can leave them, until all services hold them."""
    attempt = await customer.ask(f"退款多久到账？{words}", facts={"channel": words})
    judgement = {"rating": "NOT_HELPFUL", "reasonCode": "OUTDATED", "comment": words}
    (await customer.http.put(f"{path_of(attempt)}/feedback", json=judgement)).raise_for_status()
    wish = await customer.http.post(
        f"{path_of(attempt)}/escalations",
        json={"note": words},
        headers={"Idempotency-Key": f"{words}-{secrets.token_hex(4)}"},
    )
    escalation_id = wish.raise_for_status().json()["escalationId"]
    system.wait(lambda: is_told(system, escalation_id), "the ticket and the judgement to be told")
    return attempt


def is_told(system: System, escalation_id: str) -> bool:
    tables = tables_of(system, "bff")
    return not any(escalation_id in line and "ACKNOWLEDGED" not in line for line in tables["outbox"].splitlines())


def places(system: System, words: str) -> set[str]:
    """Name every table and key that holds words."""
    held = {
        f"{service}.{table}"
        for service in ("bff", "knowledge", "ticketing")
        for table, rows in tables_of(system, service).items()
        if words in rows
    }
    keys = kept_in_valkey(system.state.environment["YOUJU_REDIS_URL"])
    return held | {f"valkey.{key}" for key, content in keys.items() if words in content}


def tables_of(system: System, service: str) -> dict[str, str]:
    owner_url = system.state.environment[f"YOUJU_{service.upper()}_OWNER_DATABASE_URL"]
    return kept_in_postgres(superuser_url(owner_url, service))


def subject_of(customer: Customer) -> str:
    """Read the customer's name from their own token."""
    body = customer.http.headers["Authorization"].split(".")[1]
    return json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))["sub"]


def made_up_words() -> str:
    # Letters only: digits could be masked on their way.
    return "".join(secrets.choice("bcdfghjklmnpqrstvwxz") for _ in range(16))
