import asyncio
import contextlib

from runtime.ending import end_all


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
