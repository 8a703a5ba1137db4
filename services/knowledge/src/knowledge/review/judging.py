"""Who may say what was wrong with an attempt."""

from knowledge.review.item import Item, ItemClosedError, Layer, NotHeldError, Verdict


def check_may_judge(item: Item, *, reviewer: str) -> None:
    """Let the holder of an open item judge it, and any reviewer correct a closed one.

    Errors: NotHeldError, ItemClosedError for an item that was erased.
    """
    if item.state == "ERASED":
        raise ItemClosedError("This item was erased with its customer.")
    if item.state == "OPEN" and item.held_by != reviewer:
        raise NotHeldError


def is_repeat(last: Verdict | None, *, layer: Layer, note: str | None, reviewer: str) -> bool:
    """Tell whether a verdict says again what the same reviewer said last: a request that was sent twice."""
    return last is not None and (last.layer, last.note, last.reviewer) == (layer, note, reviewer)
