"""Runs of pytest with the plugin, for its own tests."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

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


class Modules:
    """Keeps what runs in this process have loaded, but for the modules below `folder`: pytester forgets all of it, and
    a module that is loaded twice has classes that are not the same to pickle and to `isinstance`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._loaded: dict[str, ModuleType] = {}

    def pytest_unconfigure(self) -> None:
        self._loaded |= sys.modules

    def keep(self) -> None:
        for name, module in self._loaded.items():
            file = getattr(module, "__file__", None)
            if file is not None and not Path(file).is_relative_to(self._folder):
                sys.modules.setdefault(name, module)


def runner(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, modules: Modules
) -> Callable[..., pytest.RunResult]:
    """Runs pytest in this process, with the plugin; with `other` in a process of its own, with no further plugins."""
    for name in ("CI", VARIABLE, "PYTEST_ADDOPTS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))

    def run(*args: str, other: bool = False) -> pytest.RunResult:
        if not other:
            return pytester.runpytest_inprocess(*WITH_PLUGIN, *QUIET, *args, plugins=[modules])
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # so that workers start fast
        return pytester.runpytest_subprocess(*args, "-p", "harness.pytest_plugin.plugin", "-p", "no:cacheprovider")

    return run


def write(pytester: pytest.Pytester, url: str, code: str) -> Path:
    """Write a test module whose tests ask the server at `url`."""
    return pytester.makepyfile(_TEST.format(url=url) + code)
