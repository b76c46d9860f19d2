from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agent.tools import search
from agent.tools.tool import OUTPUT_CHARACTERS

pytestmark = pytest.mark.anyio


@pytest.fixture
def tree(root):
    for path, content in {
        "a.py": b"import os\nprint('Hello')\n", "src/b.py": b"x = 1\r\nhello()\r\n", "src/c.txt": b"say hello\n",
        "src/bin": b"hello\0", ".git/config": b"hello\n", "latin": b"caf\xe9 hello\n",
    }.items():  # fmt: skip
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_bytes(content)
    (root / "link.txt").symlink_to("src/c.txt")
    (root.parent / "secret").write_text("hello\n")
    (root / "out").symlink_to(root.parent / "secret")
    os.mkfifo(root / "fifo")
    return root


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        ({"pattern": "hello"}, "latin:1: caf\ufffd hello\nsrc/b.py:2: hello()\nsrc/c.txt:1: say hello"),
        ({"pattern": "hello$"}, "latin:1: caf\ufffd hello\nsrc/c.txt:1: say hello"),
        ({"pattern": "HELLO", "ignore_case": True, "glob": "*.py"}, "a.py:2: print('Hello')\nsrc/b.py:2: hello()"),
        ({"pattern": "HELLO(", "ignore_case": True, "regex": False}, "src/b.py:2: hello()"),
        ({"pattern": "hello()", "regex": False}, "src/b.py:2: hello()"),
        ({"pattern": "hello", "path": "src"}, "src/b.py:2: hello()\nsrc/c.txt:1: say hello"),
        ({"pattern": "hello", "path": "src", "glob": "*.txt"}, "src/c.txt:1: say hello"),
        ({"pattern": "hello", "glob": "src/**"}, "src/b.py:2: hello()\nsrc/c.txt:1: say hello"),
        ({"pattern": "hello", "path": "src/c.txt"}, "src/c.txt:1: say hello"),
        ({"pattern": "hello", "path": "link.txt"}, "src/c.txt:1: say hello"),
        ({"pattern": "hello", "max_results": 1},
         "latin:1: caf\ufffd hello\n[1 matches shown, there are more; narrow the search]"),
        ({"pattern": "hello", "path": "src/c.txt", "max_results": 1}, "src/c.txt:1: say hello"),
        ({"pattern": "nothing like it"}, "[no match in 4 files]"),
        ({"pattern": "é|\ufffd"}, "latin:1: caf\ufffd hello"),
    ],
)  # fmt: skip
async def test_searches(tree, run, arguments, output):
    result = await run("search", **arguments)
    assert (result.ok, result.output) == (True, output)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"pattern": "("}, "is no regular expression"),
        ({"pattern": "x", "glob": "[z-a]"}, "bad glob"),
        ({"pattern": "x", "path": "nowhere"}, "'nowhere': No such file"),
        ({"pattern": "x", "path": "out"}, "outside the workspace"),
        ({"pattern": "x", "path": "fifo"}, "'fifo' is a FIFO"),
        ({"pattern": ""}, "argument 'pattern' is empty"),
        ({"pattern": "x" * 2001}, "argument 'pattern' has 2001 characters"),
    ],
)
async def test_refusals(tree, run, arguments, words):
    result = await run("search", **arguments)
    assert not result.ok
    assert words in result.output


async def test_a_pattern_that_takes_for_ever_is_stopped_and_what_was_found_is_given(root, run, monkeypatch):
    monkeypatch.setattr(search, "SECONDS", 0.2)
    (root / "a").write_text("aaab\n")
    (root / "b").write_text("a" * 60 + "\n")
    ticks = 0

    async def tick():
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    ticking = asyncio.create_task(tick())
    result = await run("search", pattern="(a+)+b")
    ticking.cancel()
    assert result.output == (
        "a:1: aaab\n[stopped after 0.2 seconds, not everything was searched; use a simpler pattern, a path or a glob]"
    )
    assert ticks > 5


async def test_a_worker_that_cannot_start_is_told(root, run, monkeypatch):
    monkeypatch.setattr(search, "_WORKER", str(root / "nowhere.py"))
    result = await run("search", pattern="x")
    assert not result.ok
    assert result.output.startswith("search: the search failed: ")


async def test_results_are_bounded_and_long_lines_show_the_match(root, run):
    (root / "f").write_text("".join(f"{'x' * 5000}needle{n}{'y' * 5000}\n" for n in range(200)))
    output = (await run("search", pattern="needle", max_results=1000)).output
    assert len(output) <= OUTPUT_CHARACTERS
    assert output.startswith("f:1: ...xxx")
    assert "needle0yy" in output.split("\n")[0]
    assert output.endswith("there are more; narrow the search]")


async def test_cancelling_ends_the_worker(root, run, alive):
    (root / "f").write_text("a" * 60)
    task = asyncio.create_task(run("search", pattern="(a+)+b"))
    while not (workers := find_workers(root)):
        await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not [pid for pid in workers if alive(pid)]


def find_workers(root):
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes()
        except OSError:
            continue
        if b"search_worker" in line and os.fsencode(root) in line:
            found.append(int(path.parent.name))
    return found


def test_the_worker_ends_itself(root):
    (root / "f").write_text("a" * 60)
    request = {
        "root": str(root), "path": ".", "pattern": "(a+)+b", "regex": True, "ignore_case": False, "glob": None,
        "max_results": 5, "seconds": -0.9,
    }  # fmt: skip
    done = subprocess.run([sys.executable, "-I", search._WORKER, json.dumps(request)], capture_output=True, timeout=60)
    assert done.returncode == -14 or b"out_of_time" in done.stdout


@pytest.mark.parametrize("line", ["", "{", "[1]", '{"file": "torn'])
def test_torn_lines_count_as_nothing(line):
    assert search.report([line]).startswith("[stopped after")
