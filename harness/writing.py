"""Writes a file whole or not at all: a full disk or a kill leaves what was there."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from harness.errors import HarnessError

_NEW = 0o666
"""The mode of a file that was not there, before the mask of the process is taken off."""


def write_whole(path: Path, data: bytes) -> None:
    """Make `data` what stands in `path`, its folder too where it is not there; the mode of an old file stays.

    Links are followed. Pipes and devices (`/dev/stdout`) are written to. Raises `HarnessError`.
    """
    try:
        if path.is_dir():
            raise HarnessError(f"{path}: this is a folder: name a file in it")
        if (path.exists() and not path.is_file()) or path.is_relative_to("/dev"):
            path.write_bytes(data)
        else:
            _replace(Path(os.path.realpath(path)), data)
    except (OSError, ValueError) as error:
        raise HarnessError(f"{path}: cannot be written: {getattr(error, 'strerror', None) or error}") from None


def _replace(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = _NEW & ~_mask()
    if path.exists():
        path.open("r+b").close()  # what may not be written is not replaced either
        mode = path.stat().st_mode & 0o777
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _mask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
