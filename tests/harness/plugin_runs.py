"""Runs of pytest with the plugin, for its own tests."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from harness.clients.modes import VARIABLE
from tests.scripted import fixture

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = any(point.value == "harness.pytest_plugin.plugin" for point in entry_points(group="pytest11"))
WITH_PLUGIN = [] if INSTALLED else ["-p", "harness.pytest_plugin.plugin"]
QUIET = ["-p", "no:cacheprovider", "-p", "no:recording"]
XDIST = ["-p", "xdist.plugin", "-n", "2"]
ANSWER = fixture("openai-chat/tool-parallel.sse")

_TEST = """
import httpx, pathlib, pytest

URL = {url!r} + "/v1/chat/completions"

def text(name):
    return pathlib.Path(name).read_text()

def body(prompt):
    return {{"model": "m", "messages": [{{"role": "user", "content": prompt}}], "stream": True}}
"""


def runner(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Callable[..., pytest.RunResult]:
    """Runs pytest in this process, with the plugin; with `other` in a process of its own, with no further plugins."""
    for name in ("CI", VARIABLE, "PYTEST_ADDOPTS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))

    def run(*args: str, other: bool = False) -> pytest.RunResult:
        if not other:
            return pytester.runpytest_inprocess(*WITH_PLUGIN, *QUIET, *args)
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # so that workers start fast
        return pytester.runpytest_subprocess(*args, "-p", "harness.pytest_plugin.plugin", "-p", "no:cacheprovider")

    return run


def write(pytester: pytest.Pytester, url: str, code: str) -> Path:
    """Write a test module whose tests ask the server at `url`."""
    return pytester.makepyfile(_TEST.format(url=url) + code)
