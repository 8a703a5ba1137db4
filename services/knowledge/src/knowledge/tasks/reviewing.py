"""Show how much waits for reviewers, in all tenants together."""

from typing import Final

from knowledge.adapters.review_measures import show_waiting
from knowledge.review.store.queue import count_waiting
from runtime.database import Database
from runtime.pulse import Duty

_SHOW_SECONDS: Final = 15.0


def review_duty(sweeper: Database) -> Duty:
    """Give the pulse its look at the review queue."""

    async def showing() -> int:
        return await show_queue(sweeper)

    return Duty(name="review", run=showing, every_seconds=_SHOW_SECONDS)


async def show_queue(sweeper: Database) -> int:
    """Measure the review queue. Gives 0, so that it waits its turn."""
    async with sweeper.sweep() as connection:
        waiting = await count_waiting(connection)
    show_waiting(waiting)
    return 0
