"""Work on many files: in several processes, with a bar on a terminal."""

from __future__ import annotations

import gc
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from types import FrameType
from typing import Any, TypeVar

import click

from harness.cli import MUCH_GARBAGE
from harness.errors import HarnessError, raised

Item = TypeVar("Item")
Result = TypeVar("Result")

jobs_option = click.option(
    "--jobs", "-j", default=1, show_default=True, type=click.IntRange(1), help="Processes at work."
)
"""The option of commands that call `in_processes`."""


def in_processes(
    work: Callable[[Item], Result], items: Sequence[Item], jobs: int, *, hold: bool = False
) -> Iterator[Result]:
    """The results in the order of the items. Raises `HarnessError` where a process is killed, and where `work`, an
    item, a result or an exception cannot be handed from one process to another.

    `hold`: where there is only this process, Ctrl-C waits for the item at work, for `work` that runs an event loop.
    """
    workers = min(jobs, len(items))
    if workers <= 1:
        yield from _one_by_one(work, items) if hold else map(work, items)
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    task, packed = partial(_packed_result, _packed(work)), [_packed(item) for item in items]
    pool = ProcessPoolExecutor(workers, mp_context=get_context(_start_method()), initializer=gc.disable)
    try:
        with _interrupts_kept_from_children():
            results = pool.map(task, packed, chunksize=max(1, len(items) // (workers * 32)))
        yield from map(_unpacked, results)
    except BrokenProcessPool:
        raise HarnessError("a worker process is gone: killed, or out of memory; try again with fewer --jobs") from None
    finally:  # whoever has seen enough waits for what is at work, not for the rest
        with _interrupts_ignored():
            pool.shutdown(cancel_futures=True)


def _packed(thing: object) -> bytes:
    """Only bytes go through the pool: once shut down, it waits for ever for what its own thread could not pickle."""
    import pickle  # in these three: one process needs none, and a command begins sooner

    try:
        return pickle.dumps(thing, pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise _unmovable(error) from None


def _unpacked(packed: bytes) -> Any:
    import pickle

    try:
        return pickle.loads(packed)
    except Exception as error:
        raise _unmovable(error) from None


def _unmovable(error: Exception) -> HarnessError:
    return HarnessError(f"this cannot be handed to another process ({raised(error)}); leave out --jobs")


def _packed_result(work: bytes, item: bytes) -> bytes:
    """In a worker: the result of the work for an item. An exception that does not come through as it is, or would end
    the process that gets it, becomes one that tells of it."""
    try:
        result = _tidied(_work(work), _unpacked(item))
    except BaseException as error:
        if not (isinstance(error, Exception) and _comes_through(error)):
            raise HarnessError(f"a worker process failed: {raised(error)}") from None
        raise
    return _packed(result)


@lru_cache(1)
def _work(packed: bytes) -> Any:
    return _unpacked(packed)


def _comes_through(error: Exception) -> bool:
    import pickle

    try:
        return type(pickle.loads(pickle.dumps(error))) is type(error)
    except Exception:
        return False


def _start_method() -> str:
    """A forked child has everything loaded; but a thread that holds a lock when it is made would hold it for ever."""
    return "fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn"


def _one_by_one(work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    with _interrupts_held() as check, _garbage_kept():
        for item in items:
            yield _tidied(work, item)
            check()


def _tidied(work: Callable[[Item], Result], item: Item) -> Result:
    """Garbage is looked for between items, where there is much: looking for it earlier finds what is in use."""
    result = work(item)
    if gc.get_count()[0] > MUCH_GARBAGE:
        gc.collect()
    return result


@contextmanager
def _garbage_kept() -> Iterator[None]:
    """Garbage is looked for only where the caller does, and not among what is there already, such as modules."""
    enabled = gc.isenabled()
    gc.disable()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        if enabled:
            gc.enable()


@contextmanager
def _interrupts_held() -> Iterator[Callable[[], None]]:
    """Hold Ctrl-C back until the function that this gives is called; a second one does not wait.

    An interrupt would break off an event loop that is just being made or unmade: with complaints at exit, or unheard.
    """
    held = False

    def hold(number: int, frame: FrameType | None) -> None:
        nonlocal held
        if held:
            raise KeyboardInterrupt
        held = True

    def check() -> None:
        if held:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, hold)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Pass over Ctrl-C: one that breaks off the end of a pool leaves this process waiting for it for ever."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _interrupts_kept_from_children() -> Iterator[None]:
    """Ctrl-C reaches every process of a terminal; this one alone minds it. A blocked signal is blocked in children."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def with_progress(results: Iterable[Result], total: int, label: str) -> Iterator[Result]:
    """Show a bar on a terminal once a second has gone by."""
    if not sys.stderr.isatty():
        yield from results
        return
    started = time.monotonic()
    bar: Any = None
    try:
        for done, result in enumerate(results, 1):
            if bar is None and time.monotonic() - started > 1 and done < total:
                bar = click.progressbar(length=total, label=label, file=sys.stderr).__enter__()
                bar.update(done - 1)
            if bar is not None:
                bar.update(1)
            yield result
    finally:
        if bar is not None:
            bar.__exit__(None, None, None)
