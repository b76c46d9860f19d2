"""The standard streams of the command: one that it was started without leads nowhere, one without room is told of."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress

_STREAMS = (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w"))
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def open_missing() -> None:
    """Give the command the streams that it was started without (`>&-`), as the null device.

    The descriptors are taken too, so that no recording gets the number of a standard stream.
    """
    for name, number, mode in _STREAMS:
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def unwritten(ended: BaseException) -> str | None:
    """Why not all of stdout could be written, where the command `ended` so; None where it was.

    What Python still holds is written now; what has no room is dropped, as Python would fail on it again at its exit.
    An error of another file names that file, and has become a `HarnessError` where it arose.
    """
    if isinstance(ended, OSError) and ended.errno in _NO_ROOM and ended.filename is None:
        drop_stdout()
        return ended.strerror
    try:
        sys.stdout.flush()
    except OSError as error:
        drop_stdout()
        return None if isinstance(error, BrokenPipeError) else error.strerror  # a reader that left had what it wanted
    return None


def drop_stdout() -> None:
    """What Python still holds for stdout, and all that follows, goes nowhere and must not raise at exit."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
