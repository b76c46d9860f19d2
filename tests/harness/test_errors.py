from __future__ import annotations

import inspect
import pickle
from pathlib import Path

import pytest

from harness import errors
from harness.errors import (
    BadLine,
    CheckError,
    ConfigError,
    HarnessError,
    LiveMismatch,
    NetworkRefused,
    RecordingError,
    ReplayMismatch,
    SuiteError,
    UnusedCalls,
)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (RecordingError("it is bad"), "it is bad"),
        (BadLine("it is\nbad", Path("a/x.jsonl"), 3, "do this"), "a/x.jsonl:3: it is bad (do this)"),
        (RecordingError("it is bad", "x.jsonl", todo="do"), "x.jsonl: it is bad (do)"),
        (ConfigError(Path("pyproject.toml"), None, "not\nTOML"), "pyproject.toml: not TOML"),
        (ConfigError("p.toml", "tool.harness.modle", "unknown key"), "p.toml: tool.harness.modle: unknown key"),
        (CheckError("no\ntext"), "no text"),
        (SuiteError("a.suite.toml", None, "no\ncase"), "a.suite.toml: no case"),
        (SuiteError("a.suite.toml", "case[0].nmae", "unknown key"), "a.suite.toml: case[0].nmae: unknown key"),
        (SuiteError(Path("a"), "case[0].mode", "no", "x y"), 'a: case[0].mode (case "x y"): no'),
        (ReplayMismatch("POST /v1"), "no recorded call answers POST /v1"),
        (
            ReplayMismatch("POST /v1", 2, ["model: a, b"], "record anew"),
            "no recorded call answers POST /v1; the nearest is call 2, which differs in model: a, b (record anew)",
        ),
        (
            ReplayMismatch("POST /v1", 2, ["model: a, b", "x", "y"]),
            "no recorded call answers POST /v1; the nearest is call 2, which differs in model: a, b and 2 more",
        ),
        (UnusedCalls("x.jsonl", [3], "POST /a"), "x.jsonl: recorded calls were not asked for: call 3, POST /a"),
        (
            UnusedCalls("x.jsonl", [3, 4, 5], "POST /a"),
            "x.jsonl: recorded calls were not asked for: call 3, POST /a and 2 more",
        ),
        (LiveMismatch("x.jsonl", 1, "a: b", "do"), "x.jsonl: call 1 is answered otherwise today: a: b (do)"),
        (NetworkRefused("a.example", "do"), "the network is closed: a.example was asked for (do)"),
    ],
)
def test_one_line_that_survives_pickling(error, text):
    assert str(error) == text
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == text
    assert vars(again) == vars(error)


@pytest.mark.parametrize(
    ("error", "line"),
    [(ValueError("a\n  b"), "ValueError: a b"), (KeyboardInterrupt(), "KeyboardInterrupt"), (OSError(""), "OSError")],
)
def test_any_exception_is_one_line(error, line):
    assert errors.raised(error) == line


def test_the_tree_is_drawn_in_the_docstring():
    drawn = errors.__doc__ or ""
    for name, value in vars(errors).items():
        if inspect.isclass(value) and issubclass(value, Exception):
            assert issubclass(value, HarnessError)
            assert name in drawn


def test_the_report_of_a_miss_has_a_line_for_each_difference():
    assert ReplayMismatch("POST /v1", hint="record anew").report() == "no recorded call answers POST /v1\nrecord anew"
    report = ReplayMismatch("POST /v1", 2, ["model: a, b", "x"], "record anew").report()
    assert report.splitlines() == [
        "no recorded call answers POST /v1; the nearest is call 2, which differs in",
        "  model: a, b", "  x", "record anew",
    ]  # fmt: skip
    assert ReplayMismatch("POST /v1", 2, ["x"] * 30).report().splitlines()[-1] == "  and 10 more"
