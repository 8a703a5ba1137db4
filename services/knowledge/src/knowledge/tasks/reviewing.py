"""Show how much waits for reviewers, in all tenants together."""

from knowledge.adapters.review_measures import show_waiting
from knowledge.review.store.queue import count_waiting
from runtime.database import Database


async def show_queue(sweeper: Database) -> int:
    """Measure the review queue. Gives 0, so that it waits its turn."""
    async with sweeper.sweep() as connection:
        waiting = await count_waiting(connection)
    show_waiting(waiting)
    return 0
