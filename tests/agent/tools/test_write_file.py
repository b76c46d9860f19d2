from __future__ import annotations

import pytest

pytestmark = pytest.mark.anyio


async def test_makes_and_replaces_exactly_as_given(root, run):
    result = await run("write_file", path="a/b.txt", content="é\r\nx")
    assert (result.ok, result.output) == (True, "made a/b.txt (5 bytes)")
    assert (root / "a/b.txt").read_bytes() == b"\xc3\xa9\r\nx"
    assert (await run("write_file", path="a/b.txt", content="")).output == "replaced a/b.txt (0 bytes)"
    assert (root / "a/b.txt").read_bytes() == b""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"path": "x"}, "argument 'content' is missing"),
        ({"path": "../x", "content": ""}, "outside the workspace"),
        ({"path": "dir", "content": ""}, "'dir' is a folder"),
        ({"path": "x", "content": "\ud800"}, "argument 'content' holds a lone surrogate"),
        ({"path": "x\0", "content": ""}, "NUL"),
        ({"path": "n" * 300, "content": ""}, "File name too long"),
    ],
)
async def test_refusals(root, run, arguments, words):
    (root / "dir").mkdir()
    result = await run("write_file", **arguments)
    assert not result.ok
    assert words in result.output
    assert [p.name for p in root.iterdir()] == ["dir"]
