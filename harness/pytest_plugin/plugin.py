"""The pytest plugin: recordings as test items, and a recording for each test that asks for one (docs/pytest.md).

It is loaded in every pytest run of an environment, so it imports nothing more than pytest and a few small modules.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from harness.clients.modes import MODES, OTHER_WORDS, REPLAY, VARIABLE, in_ci, record_mode
from harness.pytest_plugin.items import SUFFIXES, RecordingFile, is_asked_for, is_recording
from harness.pytest_plugin.suite_items import SUFFIX as SUITE
from harness.pytest_plugin.suite_items import SuiteFile

_OPTION = "record_mode"
_MARKER = (
    "recording(path=None, *, ignore=(), normalizers=(), host=False, strict=False, speed=None, everywhere=True): "
    "the calls of this test are recorded and replayed (trajectory-harness)."
)
_SESSION = pytest.StashKey[Any]()
"""The `TestSession` of a test; its module is loaded with the first one."""

_ASKED = pytest.StashKey[list[Path]]()
_PASSED_ON = "trajectory_harness_asked"


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    if _is_option_of_theirs(pluginmanager):
        return
    group = parser.getgroup("harness", "recordings of LLM calls (trajectory-harness)")
    group.addoption(
        "--record-mode",
        dest=_OPTION,
        default=None,
        choices=(*MODES, *OTHER_WORDS),
        metavar="MODE",
        help=f"{', '.join(MODES)}; default is {VARIABLE}, else {REPLAY}. Under CI it is always {REPLAY}.",
    )


def _is_option_of_theirs(pluginmanager: pytest.PytestPluginManager) -> bool:
    """Whether pytest-recording is loaded, or will be: its option of this name is for the same thing, and its words are
    understood."""
    if pluginmanager.is_blocked("recording"):
        return False
    if os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD"):
        return "pytest_recording" in sys.modules
    return find_spec("pytest_recording") is not None


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _MARKER)
    passed_on = getattr(config, "workerinput", {}).get(_PASSED_ON)
    config.stash[_ASKED] = _asked(config) if passed_on is None else [Path(text) for text in passed_on]
    try:
        _mode(config)
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None


def _asked(config: pytest.Config) -> list[Path]:
    """The paths that the user named; none where pytest went by itself through the current folder."""
    if config.args_source is pytest.Config.ArgsSource.INVOCATION_DIR:
        return []
    return [Path(config.invocation_params.dir, text.partition("::")[0]).resolve() for text in config.args]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Workers of pytest-xdist are given all paths anew; what the user named is known here only."""
    node.workerinput[_PASSED_ON] = [str(path) for path in node.config.stash[_ASKED]]


def pytest_report_header(config: pytest.Config) -> str | None:
    mode = _mode(config)
    if mode != REPLAY:
        return f"recordings: --record-mode={mode}"
    wanted = config.getoption(_OPTION, None)
    if in_ci(os.environ) and OTHER_WORDS.get(wanted, wanted) not in (None, REPLAY):
        return f"recordings: replayed only, as CI is set (--record-mode={wanted} is not followed)"
    return None


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    is_suite = file_path.name.endswith(SUITE)
    if not is_suite and not file_path.name.endswith(SUFFIXES):
        return None
    asked = parent.config.stash[_ASKED]
    path = file_path.resolve()
    if is_suite:
        return SuiteFile.from_parent(parent, path=file_path) if is_asked_for(path, asked) else None
    if path in asked or (is_asked_for(path, asked) and is_recording(path)):
        collector: pytest.Collector = RecordingFile.from_parent(parent, path=file_path)
        return collector
    return None


@pytest.fixture
def recording(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The recording of this test, with `client()` and `async_client()`; see `harness.replay`."""
    from harness.errors import HarnessError
    from harness.pytest_plugin.foreign_agent import check_agent

    try:
        check_agent()
        from harness.pytest_plugin.recording import open_session

        session = open_session(request, _mode(request.config))
    except HarnessError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None
    request.node.stash[_SESSION] = session
    with session.around():
        yield session


@pytest.fixture(autouse=True)
def _recording_of_marker(request: pytest.FixtureRequest) -> None:
    """A test with the marker has its recording without asking for the fixture."""
    if request.node.get_closest_marker("recording") is not None:
        request.getfixturevalue("recording")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """The recording's own verdict is part of the test: a miss that the code swallowed fails it."""
    session = item.stash.get(_SESSION, None)
    if session is None:
        return (yield)
    try:
        result = yield
    except BaseException as error:
        session.finish(error)
        raise
    session.judge(item)
    return result


def _mode(config: pytest.Config) -> str:
    return record_mode(config.getoption(_OPTION, None), os.environ)
