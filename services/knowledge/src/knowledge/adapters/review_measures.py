"""Counts what reviewers find and shows how much waits for them. Labels come from closed sets."""

from typing import Final

from prometheus_client import Counter, Gauge

from knowledge.review.item import Layer
from knowledge.review.store.queue import Waiting

_VERDICTS: Final = Counter("youju_review_verdicts_total", "Verdicts of reviewers by layer", ["layer"])
_ITEMS: Final = Gauge("youju_review_items", "Open items of the review queue", ["state"])
_OLDEST: Final = Gauge("youju_review_oldest_seconds", "How long the open item has waited that waits longest")


def count_verdict(layer: Layer) -> None:
    """Count a verdict."""
    _VERDICTS.labels(layer.value).inc()


def show_waiting(waiting: Waiting) -> None:
    """Show how much waits, and for how long."""
    _ITEMS.labels("free").set(waiting.free)
    _ITEMS.labels("held").set(waiting.held)
    _OLDEST.set(waiting.oldest_seconds)
