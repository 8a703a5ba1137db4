"""Requests that nobody would write are answered as the contract says: no fault, no undocumented status, no other shape.

`make fuzz EXAMPLES=500` looks deeper.
"""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.specs.openapi import checks

from contracts.customer import Attempt
from tests.support.customer import Customer, new_customer
from tests.support.system import System

pytestmark = [pytest.mark.journey, pytest.mark.timeout(1800)]

EXAMPLES: Final = int(os.environ.get("YOUJU_FUZZ_EXAMPLES", "6"))
_RULED_BY_TENANTS: Final = frozenset({"asOf", "channel"})
CONTRACT: Final = Path(__file__).parents[2] / "openapi" / "customer-bff-v1.yaml"
schema = schemathesis.openapi.from_path(str(CONTRACT))


@pytest.fixture(scope="module")
async def own(system: System) -> AsyncIterator[tuple[Customer, Attempt]]:
    async with new_customer(system.bff) as guest:
        yield guest, await guest.ask("能退吗，运费谁承担？")


@schema.parametrize()  # pyright: ignore[reportUntypedFunctionDecorator]  # schemathesis leaves the decorated type open
@settings(
    max_examples=EXAMPLES,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=(HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture),
    # The same requests at every run of the tests; whoever looks deeper wants others.
    derandomize="YOUJU_FUZZ_EXAMPLES" not in os.environ,
    database=None,
)
def test_every_answer_is_one_the_contract_knows(
    system: System, own: tuple[Customer, Attempt], case: schemathesis.Case[Any]
) -> None:
    guest, attempt = own
    known: dict[str, Any] = {"conversation_id": attempt.conversation_id, "attempt_id": attempt.attempt_id}
    case.path_parameters.update({name: known[name] for name in case.path_parameters if name in known})
    asked = case.body.keys() if isinstance(case.body, dict) else ()
    # Which days may be asked about and which channels there are is the tenant's rule; no schema knows it.
    excluded: list[Any] = [checks.positive_data_acceptance] if _RULED_BY_TENANTS & set(asked) else []
    case.call_and_validate(
        base_url=system.bff, headers={"Authorization": guest.http.headers["Authorization"]}, excluded_checks=excluded
    )
