"""The review queue as rows."""

from knowledge.review.store.queue import erase, hold_off, is_erased, opening, reopening

__all__ = ["erase", "hold_off", "is_erased", "opening", "reopening"]
