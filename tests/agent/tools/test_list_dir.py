from __future__ import annotations

import os

import pytest

from agent.tools import list_dir
from agent.tools.tool import OUTPUT_CHARACTERS

pytestmark = pytest.mark.anyio


@pytest.fixture
def tree(root):
    for path, size in {"b/x/deep": 1, "b/a.txt": 1234, "c": 0, ".git/config": 1, "new\nline": 2}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x" * size)
    (root / "link").symlink_to("b/a.txt")
    os.mkfifo(root / "fifo")
    return root


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        ({}, "b/\nc  0\nfifo  [not a file]\nlink -> b/a.txt\nnew\\x0aline  2"),
        ({"path": "b"}, "a.txt  1,234\nx/"),
        ({"path": "b", "depth": 2}, "a.txt  1,234\nx/\nx/deep  1"),
        ({"path": "b/x/"}, "deep  1"),
    ],
)
async def test_listings(tree, run, arguments, output):
    assert (await run("list_dir", **arguments)).output == output


async def test_an_empty_folder(root, run):
    assert (await run("list_dir")).output == "[the folder is empty]"


@pytest.mark.parametrize(
    ("path", "words"),
    [("c", "'c' is not a folder"), ("nowhere", "'nowhere': No such file"), ("..", "outside"), ("link", "not a folder")],
)
async def test_refusals(tree, run, path, words):
    result = await run("list_dir", path=path)
    assert not result.ok
    assert words in result.output


@pytest.mark.parametrize(("count", "length"), [(600, 5), (400, 200)])
async def test_long_listings_are_cut_with_a_note(root, run, count, length):
    for n in range(count):
        (root / f"{n:03}{'x' * length}").write_text("")
    output = (await run("list_dir")).output
    shown = output.split("\n")
    assert len(output) <= OUTPUT_CHARACTERS
    assert len(shown) <= list_dir.MOST_ENTRIES + 1
    assert shown[-1].startswith(f"[there are more entries; {len(shown) - 1} shown")


async def test_names_that_are_no_utf8_are_shown(root, run):
    with open(os.fsencode(root) + b"/caf\xe9", "w"):
        pass
    output = (await run("list_dir")).output
    assert output.encode().startswith("caf\ufffd".encode())
