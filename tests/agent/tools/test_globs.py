from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.tools.globs import matcher
from agent.tools.tool import ToolError


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("*.py", ["a.py", "x/y/a.py", ".py"], ["a.pyc", "py", "a.py/b"]),
        ("src/*.py", ["src/a.py"], ["a.py", "src/x/a.py", "x/src/a.py"]),
        ("/src/*.py", ["src/a.py"], ["x/src/a.py"]),
        ("./src/*.py", ["src/a.py"], ["x/src/a.py"]),
        ("src/**/*.py", ["src/a.py", "src/x/y/a.py"], ["a.py"]),
        ("**/test_*", ["test_a", "x/y/test_a"], ["x/atest_"]),
        ("src/**", ["src/a", "src/x/y"], ["src", "x/src/a"]),
        ("*.{js,ts}", ["a.js", "x/a.ts"], ["a.jsx", "a.{js,ts}"]),
        ("{a,b*}.c", ["a.c", "bx.c"], ["ax.c"]),
        ("file?.txt", ["file1.txt"], ["file.txt", "file12.txt"]),
        ("[a-c]x", ["ax", "cx"], ["dx", "a"]),
        ("[!a]x", ["bx"], ["ax"]),
        ("[^]x", ["^x"], ["ax"]),
        ("a.b+c(d)", ["a.b+c(d)"], ["aXb+c(d)"]),
        ("[", ["["], ["a"]),
        ("{", ["{"], ["a"]),
        ("a\nb*", ["a\nbc"], ["a"]),
    ],
)
def test_patterns(pattern, yes, no):
    matches = matcher(pattern)
    assert [path for path in yes if not matches(path)] == []
    assert [path for path in no if matches(path)] == []


def test_a_bad_range_is_told():
    with pytest.raises(ToolError, match="bad glob"):
        matcher("[z-a]")


@given(st.text(alphabet="ab*?[]{},!/.^-\\\n", max_size=12), st.text(alphabet="ab/.", max_size=12))
def test_any_pattern_compiles_or_is_refused(pattern, path):
    try:
        assert matcher(pattern)(path) in (True, False)
    except ToolError:
        assert "[" in pattern
