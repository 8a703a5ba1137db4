"""A model of the scripted server as an installation would have it: with a price, for a tenant that wants it."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from contracts.tenants import Tenant
from knowledge.adapters.breaker import Breaker
from knowledge.adapters.openai_endpoint import ModelPlace, OpenAiEndpoint
from knowledge.adapters.openai_writer import OpenAiWriter, Patience, Route
from knowledge.adapters.writers import Models
from knowledge.settings import ModelPrice

COST: Final = Decimal("0.001140")
"""What one reply of the scripted model costs."""

_SECONDS: Final = 60.0


@dataclass(frozen=True)
class WantsModel:
    """Knows one tenant, whoever is asked for."""

    budget: Decimal | None = None

    def find(self, key: str) -> Tenant:
        """Give the tenant."""
        return Tenant(name=key, writer="openai", writer_daily_budget=self.budget)


def priced_model(base_url: str, *, behaviour: str = "honest") -> Models:
    """Open a model; its client belongs to the loop that uses it first."""
    place = ModelPlace(
        base_url=base_url,
        model=behaviour,
        api_key=None,
        output_tokens=500,
        output_tokens_field="max_tokens",
        temperature=None,
        seconds=_SECONDS,
    )
    price = ModelPrice(input=Decimal(1), output=Decimal(4))
    route = Route(rank="primary", endpoint=OpenAiEndpoint(place), breaker=Breaker(seconds=lambda: 0.0), price=price)
    patience = Patience(first_byte_seconds=_SECONDS, whole_seconds=_SECONDS, output_tokens=500)
    writer = OpenAiWriter((route,), patience=patience)
    return Models(writer=writer, identity=f"openai/{behaviour}", are_priced=True, daily_budget=None)
