"""The workspace guard: every path a tool is given stays inside one folder, symlinks included.

Two steps. `locate` resolves a path (symlinks and `..` too) and refuses what ends outside. Opening then walks from the
root, one component at a time, relative to the folder before it and without following symlinks, so that a symlink
put in between the two steps is refused too. Only regular files are opened; FIFOs, sockets and devices never block.
Needs the `dir_fd` functions of Linux and macOS. A hard link to a file outside cannot be told from a file; it can be
read, but writing replaces the name and leaves the other file as it is.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from agent.tools.tool import ToolError

Parts: TypeAlias = tuple[str, ...]
"""A resolved path below the root, as its components; the root itself is `()`."""

LONGEST_PATH = 4096
"""Characters; Linux's PATH_MAX. Longer ones are refused before anything is resolved."""


class Workspace:
    """One folder and safe ways into it. Raises `ValueError` where `root` is no folder."""

    __slots__ = ("root",)

    def __init__(self, root: str | Path) -> None:
        self.root = os.path.realpath(root)
        if not os.path.isdir(self.root):
            raise ValueError(f"the workspace {os.fspath(root)!r} is not a folder")

    def locate(self, path: str) -> Parts:
        """Where a path leads, below the root. Relative paths start at the root; absolute ones must lie inside it.

        Raises `ToolError` for a path that leads outside, is too long, or holds a NUL byte.
        """
        if "\0" in path:
            raise ToolError("the path holds a NUL byte")
        if len(path) > LONGEST_PATH:
            raise ToolError(f"the path has {len(path)} characters; the most is {LONGEST_PATH}")
        try:
            real = os.path.realpath(os.path.join(self.root, path))
        except (OSError, ValueError, RecursionError):
            raise ToolError(f"{path!r} is no path that can be followed") from None
        if real == self.root:
            return ()
        prefix = self.root.rstrip("/") + "/"
        if not real.startswith(prefix):
            raise ToolError(f"{path!r} is outside the workspace; tools work only inside it")
        return tuple(real[len(prefix) :].split("/"))

    @contextlib.contextmanager
    def folder(self, parts: Parts, *, create: bool = False) -> Iterator[int]:
        """A descriptor of a folder, reached without following a symlink; `create` makes missing folders."""
        here = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for depth, part in enumerate(parts, 1):
                below = _step(here, part, "/".join(parts[:depth]), create)
                os.close(here)
                here = below
            yield here
        finally:
            os.close(here)

    def read(self, path: str, limit: int) -> tuple[bytes, int]:
        """The first `limit` bytes of a regular file, and its size."""
        parts = self.locate(path)
        with self.folder(_parent(parts, path)) as folder:
            return read_file(folder, parts[-1], path, limit)

    def write(self, path: str, data: bytes) -> bool:
        """Replace a file in one step, or make it with the folders above it; True where it is new.

        A reader sees the old content or the new, never a half. Permission bits stay; a read-only file is refused, and
        so is anything inside a `.git` folder, where a file can be a program that git runs.
        """
        parts = self.locate(path)
        if path.endswith("/"):
            raise ToolError(f"{path!r} names a folder, not a file")
        if any(part.lower() == ".git" for part in parts):
            raise ToolError(f"{path!r} is inside git's own folder; nothing is written there")
        with self.folder(_parent(parts, path), create=True) as folder:
            return _replace(folder, parts[-1], path, data)


def read_file(folder: int, name: str, path: str, limit: int) -> tuple[bytes, int]:
    """The first `limit` bytes of a regular file in an open folder, and its size. `path` is for messages."""
    _regular(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode, path)
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(name, flags, dir_fd=folder)
    with open(descriptor, "rb", buffering=0) as file:
        status = os.fstat(descriptor)
        _regular(status.st_mode, path)
        pieces: list[bytes] = []
        while limit > 0 and (piece := file.read(min(limit, 1 << 20))):
            pieces.append(piece)
            limit -= len(piece)
        return b"".join(pieces), status.st_size


def _parent(parts: Parts, path: str) -> Parts:
    if not parts:
        raise ToolError(f"{path!r} is a folder, not a file")
    return parts[:-1]


def _step(here: int, part: str, shown: str, create: bool) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(part, flags, dir_fd=here)
    except FileNotFoundError:
        if not create:
            raise
        with contextlib.suppress(FileExistsError):
            os.mkdir(part, dir_fd=here)
        return os.open(part, flags, dir_fd=here)
    except OSError as error:
        if error.errno not in (errno.ENOTDIR, errno.ELOOP):
            raise
        if stat.S_ISLNK(os.stat(part, dir_fd=here, follow_symlinks=False).st_mode):
            raise ToolError(f"{shown!r} is a symlink that leads nowhere or was just put there") from None
        raise ToolError(f"{shown!r} is not a folder") from None


_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISLNK, "a symlink that leads nowhere or was just put there"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def _regular(mode: int, path: str) -> None:
    if not stat.S_ISREG(mode):
        kind = next((words for test, words in _KINDS if test(mode)), "something else")
        raise ToolError(f"{path!r} is {kind}, not a file")


def _replace(folder: int, name: str, path: str, data: bytes) -> bool:
    try:
        old = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        old = None
    if old is not None:
        _regular(old.st_mode, path)
        if not old.st_mode & 0o222:
            raise ToolError(f"{path!r} is read-only (mode {stat.S_IMODE(old.st_mode):04o})")
    draft = f".{secrets.token_hex(8)}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(draft, flags, 0o666 if old is None else 0o600, dir_fd=folder)
    try:
        with open(descriptor, "wb", buffering=0) as file:
            rest = memoryview(data)
            while rest:
                rest = rest[file.write(rest) :]
            if old is not None:
                with contextlib.suppress(OSError):
                    os.fchown(descriptor, old.st_uid, old.st_gid)
                os.fchmod(descriptor, stat.S_IMODE(old.st_mode) & 0o777)
            os.fsync(descriptor)
        os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(draft, dir_fd=folder)
        raise
    return old is None
