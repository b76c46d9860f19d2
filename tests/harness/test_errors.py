from __future__ import annotations

import inspect
import pickle
from pathlib import Path

import pytest

from harness import errors
from harness.errors import BadLine, ConfigError, HarnessError, RecordingError, ReplayMismatch


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (RecordingError("it is bad"), "it is bad"),
        (BadLine("it is\nbad", Path("a/x.jsonl"), 3, "do this"), "a/x.jsonl:3: it is bad (do this)"),
        (RecordingError("it is bad", "x.jsonl", todo="do"), "x.jsonl: it is bad (do)"),
        (ConfigError(Path("pyproject.toml"), None, "not\nTOML"), "pyproject.toml: not TOML"),
        (ConfigError("p.toml", "tool.harness.modle", "unknown key"), "p.toml: tool.harness.modle: unknown key"),
        (ReplayMismatch("POST /v1"), "no recorded call answers POST /v1"),
        (
            ReplayMismatch("POST /v1", 2, ["model: a, b"], "record anew"),
            "no recorded call answers POST /v1; the nearest is call 2, which differs in model: a, b (record anew)",
        ),
        (
            ReplayMismatch("POST /v1", 2, ["model: a, b", "x", "y"]),
            "no recorded call answers POST /v1; the nearest is call 2, which differs in model: a, b and 2 more",
        ),
    ],
)
def test_one_line_that_survives_pickling(error, text):
    assert str(error) == text
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == text
    assert vars(again) == vars(error)


def test_the_tree_is_drawn_in_the_docstring():
    drawn = errors.__doc__ or ""
    for name, value in vars(errors).items():
        if inspect.isclass(value) and issubclass(value, Exception):
            assert issubclass(value, HarnessError)
            assert name in drawn
