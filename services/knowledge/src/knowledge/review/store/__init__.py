"""The review queue as rows."""

from knowledge.review.store.queue import erase, opening

__all__ = ["erase", "opening"]
