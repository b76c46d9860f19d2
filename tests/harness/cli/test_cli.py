"""The command as a whole: help, version, and what it loads."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from harness.cli import COMMANDS, SECTIONS
from tests.command import started
from tests.harness.cli.cli import call

HEAVY = ("httpx", "pydantic", "genai_prices", "tabulate", "orjson", "asyncio")


def test_help_names_every_command():
    result = call("--help")
    assert result.exit_code == 0
    for name, about in COMMANDS.items():
        assert f"  {name} " in result.stdout
        assert about in " ".join(result.stdout.split())
    titles = [line.removesuffix(":") for line in result.stdout.splitlines() if line.endswith(":")]
    assert titles == ["Options", *SECTIONS]
    assert max(map(len, result.stdout.splitlines())) < 80


def test_help_loads_nothing_heavy():
    code = (
        "import sys; from harness.cli import main; main(['--help'], standalone_mode=False);"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("args", [[], ["-h"], ["ask", "-h"]])
def test_help_in_short(args):
    result = call(*args)
    assert result.output.startswith("Usage: harness")
    assert "Traceback" not in result.output


def test_version():
    result = call("--version")
    assert result.exit_code == 0
    assert result.stdout.startswith("harness 0.")


@pytest.mark.parametrize("number", [signal.SIGINT])
def test_interrupted_while_it_reads(tmp_path, number):
    with started("decode", "--raw", "-", cwd=tmp_path, bufsize=0) as process:
        process.stdin.write(b"data: {}\n\n")
        assert process.stdout.readline()
        process.send_signal(number)
        assert process.wait(20) == 130
        assert process.stderr.read() == b""
