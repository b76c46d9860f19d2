"""The folder that a trial works in: a fresh copy of the suite's, and what the agent made of it.

Links stay links. In the copy none leads outside: one that would is refused before anything is paid for.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from harness.errors import HarnessError

_MOST_LINKS = 40
"""Links in one path before it counts as a circle, as Linux counts."""


def workspace_digest(root: Path) -> str:
    """SHA-256 of all that a copy of the folder has: names, permissions, contents, where links lead.

    Raises `HarnessError` for a link that leads outside, for what is neither file, folder nor link, and for what cannot
    be read.
    """
    found = hashlib.sha256()
    try:
        for name, path, mode in _walk(root):
            if stat.S_ISLNK(mode):
                _check_link(root, name)
                kind, content = "link", os.fsencode(os.readlink(path))
            elif stat.S_ISDIR(mode):
                kind, content = f"folder {mode & 0o777:o}", b""
            elif stat.S_ISREG(mode):
                with path.open("rb") as file:
                    kind, content = f"file {mode & 0o777:o}", hashlib.file_digest(file, "sha256").digest()
            else:
                raise HarnessError(f"{path}: it is neither file, folder nor link, so no copy can be made of it")
            for part in (os.fsencode(name), kind.encode(), content):
                found.update(b"%d:%b" % (len(part), part))
    except OSError as error:
        raise HarnessError(f"{error.filename or root}: cannot be read: {error.strerror}") from None
    return found.hexdigest()


def copy_tree(source: Path, target: Path) -> None:
    """Files with permissions and times, links as links; what is neither file, folder nor link is left out.

    `target` must not be there. Raises `OSError`.
    """
    target.mkdir()
    folders = [(source, target)]
    for name, path, mode in _walk(source):
        copy = target / name
        if stat.S_ISLNK(mode):
            copy.symlink_to(os.readlink(path))
        elif stat.S_ISDIR(mode):
            copy.mkdir()
            folders.append((path, copy))
        elif stat.S_ISREG(mode):
            shutil.copy2(path, copy, follow_symlinks=False)
    for path, copy in reversed(folders):  # afterwards: a folder may be read-only, and what is put in changes its time
        shutil.copystat(path, copy)


def keep(worked_in: Path, place: Path) -> None:
    """Move a workspace to where it is kept; what lies there goes. In place of one that is gone an empty folder is.

    Raises `OSError`.
    """
    remove_tree(place)
    if worked_in.is_symlink() or not worked_in.is_dir():
        place.mkdir()
        return
    try:
        worked_in.rename(place)
    except OSError as error:
        if error.errno not in (errno.EXDEV, errno.EACCES, errno.EPERM):  # a read-only folder cannot be moved
            raise
        copy_tree(worked_in, place)
        remove_tree(worked_in)


def remove_tree(path: Path) -> None:
    """Remove a folder, if it is there, also where an agent took its own permissions away. Raises `OSError`."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    _open(path)
    for folder, names, _ in os.walk(path):
        for name in names:
            _open(Path(folder, name))
    shutil.rmtree(path)


def _open(folder: Path) -> None:
    if not folder.is_symlink():
        with contextlib.suppress(OSError):
            folder.chmod(stat.S_IRWXU)


def _walk(root: Path) -> Iterator[tuple[str, Path, int]]:
    """Name below the root, path and mode of all that is inside, sorted, each folder before what it holds."""
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        names = sorted(os.listdir(root / folder))
        below = []
        for name in names:
            inside = f"{folder}{name}"
            path = root / inside
            mode = path.lstat().st_mode
            yield inside, path, mode
            if stat.S_ISDIR(mode):
                below.append(f"{inside}/")
        waiting += reversed(below)


def _check_link(root: Path, name: str) -> None:
    target = os.readlink(root / name)
    if os.path.isabs(target):
        raise HarnessError(f"{root / name}: this link is absolute, so it leads out of a copy: make it a relative one")
    if _leads_outside(root, name, target):
        raise HarnessError(f"{root / name}: this link leads outside of the workspace, to {target}")


def _leads_outside(root: Path, name: str, target: str) -> bool:
    """Whether following a link ever leaves `root`, be it to come back: a copy has another name."""
    here = name.split("/")[:-1]
    waiting = target.split("/")[::-1]
    links = 0
    while waiting and links < _MOST_LINKS:
        part = waiting.pop()
        if part in ("", "."):
            continue
        if part == "..":
            if not here:
                return True
            here.pop()
            continue
        path = root.joinpath(*here, part)
        if path.is_symlink():
            links += 1
            inner = os.readlink(path)
            if os.path.isabs(inner):
                return True
            waiting += inner.split("/")[::-1]
        else:
            here.append(part)
    return False
