from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.tools import edit_file
from agent.tools.tool import ToolError
from agent.tools.workspace import Workspace

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("before", "old", "new", "more", "after", "output"),
    [
        (b"a b c\n", "b", "X", {}, b"a X c\n", "replaced 1 occurrence in f (first at line 1)"),
        (b"a\nb\nc\n", "b\nc", "X", {}, b"a\nX\n", "replaced 1 occurrence in f (first at line 2)"),
        (b"abab", "ab", "X", {"replace_all": True}, b"XX", "replaced 2 occurrences in f (first at line 1)"),
        (b"aaa", "aa", "X", {"replace_all": True}, b"Xa", "replaced 1 occurrence in f (first at line 1)"),
        (b"a\nb", "\nb", "", {}, b"a", "replaced 1 occurrence in f (first at line 1)"),
        # Line ends: the file keeps its own, whichever the arguments use.
        (b"a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", {}, b"x\r\ny\r\nz\r\nc\r\n", None),
        (b"a\r\nb\r\n", "b", "x\ny", {}, b"a\r\nx\r\ny\r\n", None),
        (b"a\r\nb\r\n", "a\r\nb", "x\r\ny", {}, b"x\r\ny\r\n", None),
        (b"a\r\nb\r\n", "\nb", "\nx", {}, b"a\r\nx\r\n", None),
        (b"a\nb\n", "a\r\nb", "x\r\ny", {}, b"x\ny\n", None),
        (b"a\nb\nc\r\nd\r\ne\n", "c\nd", "x\ny", {}, b"a\nb\nx\r\ny\r\ne\n", None),
        (b"a\nb\nc\r\nd\r\ne\n", "a\nb", "x\ny", {}, b"x\ny\nc\r\nd\r\ne\n", None),
        (b"a\nb|a\r\nb", "a\nb", "x\ny", {"replace_all": True}, b"x\ny|x\r\ny", None),
        # What is no UTF-8 elsewhere in the file stays.
        (b"\xff\xfe old \xe9", "old", "né", {}, b"\xff\xfe n\xc3\xa9 \xe9", None),
        (b"\xef\xbb\xbfa\n", "a", "b", {}, b"\xef\xbb\xbfb\n", None),
    ],
)
async def test_edits(root, run, before, old, new, more, after, output):
    (root / "f").write_bytes(before)
    result = await run("edit_file", path="f", old=old, new=new, **more)
    assert result.ok, result.output
    assert (root / "f").read_bytes() == after
    assert output in (None, result.output)


@pytest.mark.parametrize(
    ("before", "arguments", "words"),
    [
        (b"abc", {"old": "x", "new": ""}, "not found in 'f' (0 matches)"),
        (b"a  b", {"old": "a b", "new": ""}, "(0 matches)"),
        (b"a b a b a", {"old": "a", "new": ""}, "found 3 times in 'f'"),
        (b"aaa", {"old": "aa", "new": ""}, "found 2 times"),
        (b"a\nb a\r\nb", {"old": "a\nb", "new": ""}, "found 2 times"),
        (b"abc", {"old": "b", "new": "b"}, "nothing to change"),
        (b"abc", {"old": "", "new": "b"}, "argument 'old' is empty"),
        (b"a\0b", {"old": "b", "new": ""}, "binary file"),
        (b"abc", {"old": "b"}, "argument 'new' is missing"),
        (b"abc", {"old": "b", "new": "", "replace_all": "yes"}, "argument 'replace_all' must be true or false"),
    ],
)
async def test_refusals_leave_the_file(root, run, before, arguments, words):
    (root / "f").write_bytes(before)
    result = await run("edit_file", path="f", **arguments)
    assert not result.ok
    assert words in result.output
    assert (root / "f").read_bytes() == before


async def test_a_file_that_is_too_big(root, run, monkeypatch):
    monkeypatch.setattr(edit_file, "MOST_BYTES", 4)
    (root / "f").write_bytes(b"abcdef")
    assert "has 6 bytes; the most" in (await run("edit_file", path="f", old="a", new="b")).output


async def test_a_text_that_repeats_itself_takes_linear_time(root, run):
    (root / "f").write_bytes(b"a" * 2_000_000)
    result = await run("edit_file", path="f", old="a" * 1000, new="b")
    assert "found 100,000 or more times in 'f'; give more" in result.output
    result = await run("edit_file", path="f", old="a", new="b", replace_all=True)
    assert "found 100,000 or more times in 'f'; too many" in result.output


PIECE = st.lists(st.sampled_from(["a", "b", "\n", "\r\n", "é"]), max_size=8).map("".join)


@given(before=PIECE, old=PIECE.filter(bool), new=PIECE, end=st.sampled_from(["\n", "\r\n"]))
def test_an_edit_replaces_in_the_text_that_was_shown_and_keeps_the_line_end(tmp_path_factory, before, old, new, end):
    root = tmp_path_factory.mktemp("edit")
    shown, old_shown, new_shown = (text.replace("\r\n", "\n") for text in (before, old, new))
    (root / "f").write_bytes(shown.replace("\n", end).encode())
    expected = shown.replace(old_shown, new_shown)
    arguments = {"path": "f", "old": old, "new": new, "replace_all": True}
    if expected == shown:
        with pytest.raises(ToolError):
            edit_file.edit(Workspace(root), arguments)
    else:
        edit_file.edit(Workspace(root), arguments)
        kept = end if "\n" in shown else "\n"
        assert (root / "f").read_bytes().decode() == expected.replace("\n", kept)
