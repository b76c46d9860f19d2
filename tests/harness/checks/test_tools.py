from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from pydantic import ValidationError

from harness.checks.base import judged
from harness.verdicts import Verdict
from tests.harness.checks.runs import call, check, subject, tool, turn

RUN = subject(call(0, tool("list_dir", path="."), tool("read_file", path="a.md", limit=5)), call(1, tool("shell")))
LIST = {"name": "list_dir", "input": {"path": "."}}
READ = {"name": "read_file", "input": {"path": "a.md"}}
SHELL = {"name": "shell"}

PASS = {
    "exact": {"calls": [LIST, {**READ, "input": {"path": "a.md", "limit": 5}}, SHELL]},
    "numbers and key order": {"calls": [LIST, {**READ, "input": {"limit": Decimal("5.0"), "path": "a.md"}}, SHELL]},
    "subset of the arguments": {"calls": [LIST, READ, SHELL], "arguments": "subset"},
    "one call by itself": {"calls": [LIST, {**READ, "arguments": "subset"}, SHELL]},
    "one argument": {"calls": [LIST, {**READ, "arguments": {"limit": "ignore"}}, SHELL]},
    "all arguments of the check": {"calls": [LIST, READ, SHELL], "arguments": {"limit": "ignore"}},
    "regex": {"calls": [{"name": "read_file", "input": {"path": r"\.md$", "limit": "^[0-9]$"}}], "arguments": "regex",
              "order": "superset"},
    "names only": {"calls": [{"name": "shell"}, {"name": "list_dir"}, {"name": "read_file"}], "order": "any-order",
                   "arguments": "ignore"},
    "in order": {"calls": [LIST, SHELL], "order": "in-order"},
    "subset of the calls": {"calls": [SHELL, {"name": "other"}, LIST, {**READ, "arguments": "subset"}],
                            "order": "subset"},
}  # fmt: skip
FAIL = {
    "true is not 1": ({"calls": [{"name": "f", "input": {"a": True}}]}, subject(call(0, tool("f", a=1)))),
    "order": ({"calls": [SHELL, LIST], "order": "in-order"}, RUN),
    "arguments of one call override": ({"calls": [LIST, {**READ, "arguments": "exact"}, SHELL],
                                        "arguments": "subset"}, RUN),
    "none expected": ({"calls": []}, RUN),
    "none made": ({"calls": [LIST], "order": "superset"}, subject(call(0))),
    "regex": ({"calls": [{"name": "shell", "input": {}}, {"name": "list_dir", "input": {"path": "^x"}}],
               "arguments": "regex", "order": "superset"}, RUN),
}  # fmt: skip


@pytest.mark.parametrize("keys", PASS.values(), ids=PASS)
def test_pass(keys):
    verdict = judged(check("tools", **keys), RUN)
    assert (verdict.status, verdict.reason) == ("pass", None)


@pytest.mark.parametrize(("keys", "run"), FAIL.values(), ids=FAIL)
def test_fail(keys, run):
    verdict = judged(check("tools", **keys), run)
    assert verdict.status == "fail"
    assert verdict.reason
    assert verdict.score is not None
    assert verdict.score < 1


def test_score():
    assert judged(check("tools", calls=[LIST, SHELL], order="in-order"), RUN).score == pytest.approx(0.8)


def test_one_turn():
    run = subject(
        call(0, tool("a")), call(1, tool("b"), turn=1), turns=[turn(0, (0,)), turn(1, (1,))]
    )  # fmt: skip
    assert judged(check("tools", calls=[{"name": "b"}], turn=1), run).status == "pass"
    assert judged(check("tools", calls=[{"name": "a"}, {"name": "b"}]), run).status == "pass"
    missing = judged(check("tools", calls=[], turn=2), run)
    assert missing == Verdict("tools", "error", "there is no turn 2; the recording has 2 turns")


def test_what_is_not_known_is_an_error():
    assert judged(check("tools", calls=[]), subject(call(0, ending="not_closed"))).status == "error"


BAD = {
    "no calls": {},
    "empty, in order": {"calls": [], "order": "in-order"},
    "empty, superset": {"calls": [], "order": "superset"},
    "order": {"calls": [SHELL], "order": "strict"},
    "mode": {"calls": [SHELL], "arguments": "fuzzy"},
    "mode of an argument": {"calls": [SHELL], "arguments": {"a": "fuzzy"}},
    "argument that is not there": {"calls": [{"name": "f", "arguments": {"a": "regex"}}]},
    "pattern": {"calls": [{"name": "f", "input": {"a": "("}}], "arguments": "regex"},
    "pattern of one argument": {"calls": [{"name": "f", "input": {"a": ["("]}, "arguments": {"a": "regex"}}]},
    "pattern in a table": {"calls": [{"name": "f", "input": {"a": {"b": "("}}, "arguments": {"*": "regex"}}]},
    "date": {"calls": [{"name": "f", "input": {"day": date(2026, 1, 1)}}]},
    "unknown key": {"calls": [{"name": "f", "args": {}}]},
    "negative turn": {"calls": [SHELL], "turn": -1},
    "no name": {"calls": [{"name": ""}]},
}


@pytest.mark.parametrize("keys", BAD.values(), ids=BAD)
def test_bad_keys(keys):
    with pytest.raises(ValidationError):
        check("tools", **keys)


def test_a_pattern_elsewhere_is_no_pattern():
    keys = {"calls": [{"name": "f", "input": {"a": "(", "b": "x"}, "arguments": {"b": "regex"}}]}
    assert judged(check("tools", **keys), subject(call(0, tool("f", a="(", b="xyz")))).status == "pass"
