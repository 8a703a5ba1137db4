"""Why nothing was strong enough, read off a search without audience and time conditions."""

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.reasons import RefusalCause


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A passage anywhere in the version: how strong it is, and whether it could have served."""

    fused: float
    is_visible: bool
    is_in_force: bool


def explain(seen: Sequence[Seen], *, refuse_below: float) -> RefusalCause:
    """Name the cause of a refusal: the strongest passage that was kept back decides, if it is strong enough."""
    if not seen:
        return RefusalCause.NOTHING_RETRIEVED
    kept_back = [each for each in seen if each.fused >= refuse_below and not (each.is_visible and each.is_in_force)]
    if not kept_back:
        return RefusalCause.BELOW_THRESHOLD
    strongest = max(kept_back, key=lambda each: each.fused)
    return RefusalCause.NOT_IN_FORCE if strongest.is_visible else RefusalCause.FILTERED_BY_ACCESS
