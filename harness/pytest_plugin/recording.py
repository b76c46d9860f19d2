"""The recording of one test: where it lies, what its marker says, and its verdict."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from harness.clients.modes import RECORD, REPLAY
from harness.clients.sessions import Session
from harness.config import load
from harness.errors import HarnessError, ReplayMismatch
from harness.pytest_plugin.closed_network import closed_network
from harness.pytest_plugin.items import FOLDER
from harness.replaying.matching import MatchRules

_NOT_IN_NAMES = re.compile(r"[<>?%*:|\"'/\\]")
_LONGEST = 200
"""Bytes of a file's name; file systems allow 255, and suffixes are to come."""

_PATHS = pytest.StashKey[dict[Path, str]]()


class TestSession(Session):
    """A session that fails its test in a readable way."""

    __test__ = False

    def open(self) -> None:
        try:
            super().open()
        except HarnessError as error:
            raise pytest.fail.Exception(str(error), pytrace=False) from None

    @contextmanager
    def around(self) -> Iterator[None]:
        """What holds while the test runs, its other fixtures included."""
        hint = "a replay asks no network; clients of httpx and httpx2 are answered from the recording"
        with self:
            if self.mode == REPLAY:
                with closed_network(hint):
                    yield
            else:
                yield
            self.finish(_NotRun())

    def judge(self, item: pytest.Item) -> None:
        """The verdict after a test that passed."""
        try:
            self.finish(None)
        except HarnessError as problem:
            text = problem.report() if isinstance(problem, ReplayMismatch) else str(problem)
            raise pytest.fail.Exception(text, pytrace=False) from None
        for error in self.errors:
            item.warn(pytest.PytestWarning(f"not all is recorded: {error}"))


class _NotRun(Exception):
    """A test that did not come to run: its recording is not kept."""


def open_session(request: pytest.FixtureRequest, mode: str) -> TestSession:
    """The session of a test, not yet entered. Raises `HarnessError`."""
    item = request.node
    marker = item.get_closest_marker("recording")
    try:
        path, rules, options = _options(item, *marker.args, **marker.kwargs) if marker else _options(item)
    except (TypeError, ValueError) as error:
        raise HarnessError(f"@pytest.mark.recording: {str(error).removeprefix('_options() ')}") from None
    if mode == RECORD:
        _claim(item, path)
    config = load(item.path.parent)
    rules = MatchRules(
        rules.host, (*config.ignore, *rules.ignore), tuple(dict.fromkeys((*config.normalizers, *rules.normalizers)))
    )
    command = f"pytest {shlex.quote(item.nodeid)} --record-mode={RECORD}"
    return TestSession(
        path, mode, rules=rules, redactor=config.redactor(), task=item.nodeid, lenient=True,
        rerecord=f"record it anew: {command}", **options,
    )  # fmt: skip


def recording_path(item: pytest.Item) -> Path:
    """`recordings/MODULE/TEST.jsonl` beside the test module; a test of a class is `CLASS.TEST`.

    Names as pytest-recording makes them, so that imported cassettes are found.
    """
    owner = getattr(item, "cls", None)
    name = _NOT_IN_NAMES.sub("-", item.name if owner is None else f"{owner.__name__}.{item.name}")
    if len(name.encode()) > _LONGEST:
        digest = hashlib.sha256(name.encode()).hexdigest()[:16]
        name = f"{name.encode()[: _LONGEST - 20].decode(errors='ignore')}...{digest}"
    return item.path.parent / FOLDER / item.path.stem / f"{name}.jsonl"


def _options(
    item: pytest.Item,
    path: str | None = None,
    *,
    ignore: Sequence[str] = (),
    normalizers: Sequence[str] = (),
    host: bool = False,
    strict: bool = False,
    speed: float | None = None,
    everywhere: bool = True,
) -> tuple[Path, MatchRules, dict[str, Any]]:
    """What a marker may say. `path` is relative to the test module."""
    place = recording_path(item) if path is None else item.path.parent / path
    if isinstance(ignore, str) or isinstance(normalizers, str):
        raise TypeError("ignore and normalizers are lists of names")
    options = {"strict": strict, "speed": speed, "everywhere": everywhere}
    return place, MatchRules(host, tuple(ignore), tuple(normalizers)), options


def _claim(item: pytest.Item, path: Path) -> None:
    """Raises `HarnessError` where another test has made this recording just now."""
    owner = item.config.stash.setdefault(_PATHS, {}).setdefault(path, item.nodeid)
    if owner != item.nodeid:
        raise HarnessError(
            f"{path} is the recording of {owner} too: give one of them another, @pytest.mark.recording('FILE.jsonl')"
        )
