"""The README's way to record and replay any program, run as it stands there."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

from tests.command import harness as run
from tests.loopback import serve
from tests.threads import in_thread

pytest.importorskip("starlette", reason="the extra `serve` is not installed")
pytest.importorskip("uvicorn", reason="the extra `serve` is not installed")

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = """
import json, os, sys, urllib.request
body = json.dumps({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": sys.argv[2]}]})
answer = urllib.request.urlopen(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", body.encode())
print(json.load(answer)["content"][0]["text"])
"""


async def claude(exchange):
    reply = {
        "type": "message",
        "content": [{"type": "text", "text": f"for {exchange.path}"}],
        "stop_reason": "end_turn",
    }
    await exchange.whole(json.dumps(reply).encode(), content_type="application/json")


def commands():
    block = re.search(r"## Any program, any language.*?```sh\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)
    return [shlex.split(line) for line in block[1].splitlines()]


def test_the_commands_of_the_readme(tmp_path):
    programs = tmp_path / "bin"
    programs.mkdir()
    (tmp_path / "program.py").write_text(PROGRAM)
    node = programs / "node"
    node.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} program.py "$@"\n')
    node.chmod(0o755)
    (_, *record), (_, *replay) = commands()
    with in_thread(serve(claude)) as upstream:
        environ = {"PATH": f"{programs}:/usr/bin:/bin", "ANTHROPIC_BASE_URL": upstream.url}
        recorded = run(*record, cwd=tmp_path, environ=environ)
    assert (recorded.returncode, recorded.stdout) == (0, "for /v1/messages\n"), recorded.stderr
    replayed = run(*replay, cwd=tmp_path, environ=environ)
    assert (replayed.returncode, replayed.stdout) == (0, "for /v1/messages\n"), replayed.stderr
    assert "1 answered, 0 missed, 0 unused" in replayed.stderr
