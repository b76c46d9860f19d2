"""A file that is made beside the one it is to replace, and takes its place only when all went well."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

from harness.errors import RecordingError

SUFFIX = ".part"
"""Such a file is no recording to the commands that search folders, but each of them reads it when it is named."""


class Beside:
    """The file beside `path`. A process that dies leaves it there, with all that was written.

    Raises `RecordingError` where `path` is a device, a pipe or a folder: none of them may be replaced.
    """

    def __init__(self, path: Path) -> None:
        if path.exists() and not path.is_file():
            raise RecordingError("it is no regular file, and would be replaced by one", path, todo="name a file")
        self.path = path
        self.part = path.with_name(path.name + SUFFIX)

    def copy(self) -> None:
        """Begin with what `path` holds. Raises `RecordingError`."""
        try:
            shutil.copyfile(self.path, self.part)
        except OSError as error:
            raise RecordingError(f"cannot copy it: {error.strerror or error}", self.path) from None

    def swap_in(self) -> None:
        """Put it in the place of `path`, at once. Raises `RecordingError`."""
        try:
            os.replace(self.part, self.path)
        except OSError as error:
            raise RecordingError(
                f"cannot put {self.part.name} in its place: {error.strerror or error}", self.path
            ) from None

    def discard(self) -> None:
        with contextlib.suppress(OSError):
            self.part.unlink()
