from __future__ import annotations

import pytest

from tests.harness.plugin_runs import Modules, runner


@pytest.fixture(autouse=True)
def modules(tmp_path_factory):
    """Set up before `pytester`, so that it ends after it."""
    found = Modules(tmp_path_factory.getbasetemp())
    yield found
    found.keep()


@pytest.fixture
def run(pytester, monkeypatch, modules):
    return runner(pytester, monkeypatch, modules)
