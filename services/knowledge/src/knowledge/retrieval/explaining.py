"""Why nothing was strong enough, read off a search without audience and time conditions."""

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.reasons import RefusalCause


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A passage anywhere in the version: how strong it is, and whether it could have served."""

    strength: float
    """On the scale of the policy's thresholds."""
    is_visible: bool
    is_in_force: bool


def explain(seen: Sequence[Seen], *, answer_from: float) -> RefusalCause:
    """Name the cause of a refusal: the strongest passage that was kept back decides, if it could have been answered."""
    if not seen:
        return RefusalCause.NOTHING_RETRIEVED
    kept_back = [each for each in seen if each.strength >= answer_from and not (each.is_visible and each.is_in_force)]
    if not kept_back:
        return RefusalCause.BELOW_THRESHOLD
    strongest = max(kept_back, key=lambda each: each.strength)
    return RefusalCause.NOT_IN_FORCE if strongest.is_visible else RefusalCause.FILTERED_BY_ACCESS
