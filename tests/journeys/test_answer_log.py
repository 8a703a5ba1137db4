"""An attempt is sealed while the system runs, proved from the terminal, and comes out again as it was logged."""

import pytest

from tests.support.customer import Customer
from tests.support.system import System

pytestmark = pytest.mark.journey


def head_of(system: System) -> str | None:
    """Give the newest head that the pulse told for the demo, as `--head` takes it."""
    told = [
        f"{line['batch']}:{line['head']}"
        for line in system.log_events("knowledge-pulse")
        if line.get("event") == "answer_log_sealed" and line.get("tenant") == "demo"
    ]
    return told[-1] if told else None


async def test_an_attempt_is_sealed_proved_and_replayed(system: System, customer: Customer) -> None:
    attempt = await customer.ask("退款多久到账？")
    system.wait(lambda: "wait for their seal" not in system.command("audit", "verify").stdout, "sealed rows")
    system.wait(lambda: head_of(system) is not None, "a head outside the database")

    proof = system.command("audit", "verify", "--head", str(head_of(system)))
    replay = system.command("audit", "replay", attempt.attempt_id)

    assert "The saved head is part of the chain." in proof.stdout
    assert "are what was logged." in replay.stdout


async def test_a_head_the_chain_does_not_hold_is_told_by_the_exit_status(system: System, customer: Customer) -> None:
    await customer.ask("退款多久到账？")

    proof = system.command("audit", "verify", "--head", f"999999:{'0' * 64}", check=False)

    assert proof.returncode == 4
    assert "tail was cut" in proof.stdout
