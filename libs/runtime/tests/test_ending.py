import asyncio
import contextlib

import pytest

from runtime.database import Database
from runtime.ending import end_all, hear_cancellation


async def test_a_task_that_swallows_its_cancellation_is_ended_all_the_same() -> None:
    waits = asyncio.Event()

    async def hold_on() -> None:
        with contextlib.suppress(asyncio.CancelledError):
            waits.set()
            await asyncio.Event().wait()
        await asyncio.Event().wait()

    task = asyncio.create_task(hold_on())
    await waits.wait()

    async with asyncio.timeout(60):
        await end_all([task], patience_seconds=0.01)

    assert task.cancelled()


async def test_a_task_has_time_to_write_down_its_end() -> None:
    waits, written = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        try:
            waits.set()
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            written.set()

    task = asyncio.create_task(work())
    await waits.wait()

    await end_all([task])

    assert written.is_set()


async def test_of_nothing_and_of_what_is_over_nothing_is_awaited() -> None:
    over = asyncio.create_task(asyncio.sleep(0))
    await over

    await end_all([])
    await end_all([over])

    assert over.done()


async def swallow_cancellation() -> None:
    """Do what `wait_for` of Python 3.11 does to a cancellation that comes as its wait is over."""
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.Event().wait()


async def test_a_time_out_ends_a_body_that_swallowed_it() -> None:
    went_on = False
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            with hear_cancellation():
                await swallow_cancellation()
            went_on = True

    assert not went_on


async def test_clearing_up_after_a_cancellation_goes_its_way() -> None:
    cleared = False

    async def work() -> None:
        nonlocal cleared
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            with hear_cancellation():
                await asyncio.sleep(0)
            cleared = True
            raise

    task = asyncio.create_task(work())
    await asyncio.sleep(0)

    await end_all([task])

    assert cleared


@pytest.mark.store
async def test_a_transaction_hears_what_was_swallowed_inside_of_it(app: Database) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01), app.transaction("acme"):
            await swallow_cancellation()
