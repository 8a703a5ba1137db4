"""Says what a call of a model costs."""

from decimal import ROUND_UP, Decimal
from typing import Final

from knowledge.adapters.openai_pieces import Tokens
from knowledge.settings import ModelPrice

_MILLION: Final = Decimal(1_000_000)
_SMALLEST: Final = Decimal("0.000001")
# Below what tokenisers take for English and Chinese alike: an endpoint that counts nothing is never counted too low.
_BYTES_PER_TOKEN: Final = 3


def estimated_tokens(text: str) -> int:
    """Estimate what an endpoint that counts nothing bills a text by."""
    return -(-len(text.encode()) // _BYTES_PER_TOKEN)


def cost_of(tokens: Tokens, price: ModelPrice | None) -> Decimal | None:
    """Price a call, rounded up. Units: the currency of the price table; None when nobody named a price."""
    if price is None:
        return None
    cost = (price.input * tokens.input + price.output * tokens.output) / _MILLION
    return cost.quantize(_SMALLEST, rounding=ROUND_UP)
