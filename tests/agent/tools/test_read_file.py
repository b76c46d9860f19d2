from __future__ import annotations

import pytest

from agent.tools import read_file
from agent.tools.tool import OUTPUT_CHARACTERS

pytestmark = pytest.mark.anyio

TEN = "".join(f"line {n}\n" for n in range(1, 11))


@pytest.mark.parametrize(
    ("content", "arguments", "output"),
    [
        ("a\nb\n", {}, "a\nb"),
        ("a\nb", {}, "a\nb"),
        ("a\n\n\n", {}, "a\n\n"),
        ("", {}, "[the file is empty]"),
        ("a\nb\n", {"line_numbers": True}, "     1\ta\n     2\tb"),
        (TEN, {"offset": 9}, "line 9\nline 10"),
        (TEN, {"offset": 9, "limit": 5}, "line 9\nline 10"),
        (TEN, {"limit": 2}, "line 1\nline 2\n[lines 1 to 2 of 10; read on with offset=3]"),
        (TEN, {"offset": 3, "limit": 1, "line_numbers": True},
         "     3\tline 3\n[lines 3 to 3 of 10; read on with offset=4]"),
        ("a\u2028b\x0cc\u0085d\n", {"limit": 1}, "a\u2028b\x0cc\u0085d"),
        ("\ufeffa\n", {}, "a"),
        ("a\r\nb\r\n", {}, "a\nb\n[the file has CRLF line ends]"),
    ],
)  # fmt: skip
async def test_text(root, run, content, arguments, output):
    (root / "f").write_bytes(content.encode())
    result = await run("read_file", path="f", **arguments)
    assert (result.ok, result.output) == (True, output)


async def test_what_is_no_utf8_is_replaced(root, run):
    (root / "f").write_bytes(b"caf\xe9 \xff ok")
    assert (await run("read_file", path="f")).output == "caf\ufffd \ufffd ok"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"path": "nowhere"}, "read_file: 'nowhere': No such file or directory"),
        ({"path": "."}, "'.' is a folder, not a file"),
        ({"path": "binary"}, "'binary' is a binary file of 5 bytes"),
        ({"path": "text", "offset": 3}, "offset 3 is past the end: 'text' has 2 lines"),
        ({"path": "text", "offset": 0}, "argument 'offset' must be at least 1"),
        ({"path": "../outside"}, "outside the workspace"),
    ],
)
async def test_refusals(root, run, arguments, words):
    (root / "binary").write_bytes(b"a\0b\0c")
    (root / "text").write_text("a\nb\n")
    result = await run("read_file", **arguments)
    assert not result.ok
    assert words in result.output
    assert str(root) not in result.output


async def test_long_files_are_cut_between_lines_and_reading_on_gives_the_rest(root, run):
    lines = [f"{n}: " + "x" * (n % 150) for n in range(3000)]
    (root / "f").write_text("\n".join(lines))
    read: list[str] = []
    while len(read) < len(lines):
        output = (await run("read_file", path="f", offset=len(read) + 1)).output
        assert len(output) <= OUTPUT_CHARACTERS
        shown = output.split("\n")
        if shown[-1].startswith("[lines"):
            assert shown.pop().endswith(f"of 3,000; read on with offset={len(read) + len(shown) + 1}]")
        read += shown
    assert read == lines


async def test_one_endless_line_is_cut_with_a_note(root, run):
    (root / "f").write_text("é" * 3_000_000 + "\nnext\n")
    output = (await run("read_file", path="f")).output
    assert len(output) <= OUTPUT_CHARACTERS
    assert output.endswith("[line 1 was cut, it has 6,000,000 bytes; lines 1 to 1 of 2; read on with offset=2]")


async def test_big_files_are_looked_at_up_to_a_limit(root, run, monkeypatch):
    monkeypatch.setattr(read_file, "MOST_BYTES", 10)
    (root / "f").write_text("abc\ndef\nghi\njkl\n")
    assert (await run("read_file", path="f")).output == ("abc\ndef\ngh\n[only the first 10 of 16 bytes were looked at]")


async def test_offsets_are_found_over_blocks(root, run, monkeypatch):
    monkeypatch.setattr(read_file, "BLOCK", 7)
    (root / "f").write_text(TEN)
    for first in range(1, 11):
        assert (await run("read_file", path="f", offset=first, limit=1)).output.startswith(
            f"line {first}\n" * (first < 10)
        )
        assert (await run("read_file", path="f", offset=first)).output == "".join(TEN.splitlines(True)[first - 1 :])[
            :-1
        ]
