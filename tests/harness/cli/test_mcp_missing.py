"""`harness mcp` where its extra is missing, and the price of having the command."""

from __future__ import annotations

import subprocess
import sys

from tests.command import ROOT
from tests.harness.cli.cli import refusal


def test_the_help_loads_nothing_of_it():
    code = (
        "import sys; from harness.cli import main; main(['--help'], standalone_mode=False);"
        "print(sorted({'mcp', 'mcp_types', 'starlette', 'uvicorn', 'pydantic', 'httpx'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert "mcp " in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.delitem(sys.modules, "agent.front_ends.mcp", raising=False)
    assert refusal("mcp") == "harness: the MCP server needs an extra: pip install 'trajectory-harness[mcp]'"
