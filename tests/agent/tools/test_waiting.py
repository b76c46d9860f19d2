from __future__ import annotations

import asyncio
import threading

import pytest

from agent.tools.waiting import in_thread, see_through

pytestmark = pytest.mark.anyio


async def test_result_and_exception_come_through():
    assert await in_thread(lambda a, b: a + b, 1, 2) == 3
    with pytest.raises(KeyError):
        await in_thread({}.__getitem__, "x")


@pytest.mark.parametrize("cancels", [1, 3])
async def test_a_cancelled_task_waits_for_its_thread(cancels):
    entered, release, done = threading.Event(), threading.Event(), []

    def work():
        entered.set()
        release.wait(10)
        done.append(True)
        raise RuntimeError("nobody hears this")

    task = asyncio.create_task(in_thread(work))
    await asyncio.to_thread(entered.wait, 10)
    for _ in range(cancels):
        task.cancel()
        await asyncio.sleep(0.01)
    assert not task.done()
    release.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert done


async def test_see_through_gives_up_in_time():
    future = asyncio.get_running_loop().create_future()
    assert await see_through(future, 0.01) is False
    future.set_result(None)
    assert await see_through(future, 0) is True
