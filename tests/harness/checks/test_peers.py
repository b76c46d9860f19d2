"""The answers of agentevals and pydantic-evals on shared examples; docs/checks.md says where ours differ, and why."""

from __future__ import annotations

import json
import warnings
from datetime import UTC, datetime, timedelta

import pytest

from harness.checks.base import judged
from tests.harness.checks.runs import call, check, said, subject, tool

NEEDED = "needs agentevals and pydantic-evals: pip install -e '.[peers]'"
ORDERS = {"strict": "exact", "unordered": "any-order", "subset": "subset", "superset": "superset"}
ARGUMENTS = {"exact": "exact", "ignore": "ignore", "superset": "subset", "subset": "superset"}
"""Theirs speak of the calls made, ours of what the suite writes."""


def ours(expected, made, order, arguments="exact"):
    calls = [{"name": name, "input": given} for name, given in expected]
    run = subject(*(call(index, tool(name, **given)) for index, (name, given) in enumerate(made)))
    return judged(check("tools", calls=calls, order=order, arguments=arguments), run)


def messages(groups):
    """A conversation in which each answer makes the calls of one group."""
    found = [{"role": "user", "content": "go"}]
    for group in groups:
        calls = [{"function": {"name": name, "arguments": json.dumps(given)}} for name, given in group]
        found.append({"role": "assistant", "content": "", "tool_calls": calls})
        found += [{"role": "tool", "content": "ok"} for _ in group]
    return [*found, {"role": "assistant", "content": "done"}]


def agentevals(expected, made, order, arguments="exact"):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        match = pytest.importorskip("agentevals.trajectory.match", reason=NEEDED)
        evaluator = match.create_trajectory_match_evaluator(trajectory_match_mode=order, tool_args_match_mode=arguments)
        return evaluator(outputs=messages(made), reference_outputs=messages(expected))["score"]


SF, NYC = ("weather", {"city": "SF"}), ("weather", {"city": "NYC"})
SF_MORE = ("weather", {"city": "SF", "unit": "C"})
TIME = ("time", {"zone": 1})

TRAJECTORIES = {
    "strict, the same": ([SF, TIME], [SF, TIME], "strict", "exact", True),
    "strict, swapped": ([SF, TIME], [TIME, SF], "strict", "exact", False),
    "strict, other arguments": ([SF], [NYC], "strict", "exact", False),
    "strict, arguments ignored": ([SF], [NYC], "strict", "ignore", True),
    "strict, one more": ([SF], [SF, TIME], "strict", "exact", False),
    "strict, more arguments": ([SF], [SF_MORE], "strict", "superset", True),
    "strict, more arguments than may be": ([SF], [SF_MORE], "strict", "subset", False),
    "strict, fewer arguments": ([SF_MORE], [SF], "strict", "subset", True),
    "strict, fewer arguments than need be": ([SF_MORE], [SF], "strict", "superset", False),
    "strict, 1 and 1.0": ([TIME], [("time", {"zone": 1.0})], "strict", "exact", True),
    "strict, key order": ([SF_MORE], [("weather", {"unit": "C", "city": "SF"})], "strict", "exact", True),
    "strict, other tool": ([SF], [("forecast", {"city": "SF"})], "strict", "ignore", False),
    "unordered, swapped": ([SF, TIME], [TIME, SF], "unordered", "exact", True),
    "unordered, one more": ([SF], [SF, TIME], "unordered", "exact", False),
    "unordered, one less": ([SF, TIME], [SF], "unordered", "exact", False),
    "unordered, twice": ([SF, SF], [SF], "unordered", "exact", False),
    "unordered, names only": ([SF, NYC], [NYC, NYC], "unordered", "ignore", True),
    "subset, one less": ([SF, TIME], [SF], "subset", "exact", True),
    "subset, none": ([SF], [], "subset", "exact", True),
    "subset, another": ([SF], [SF, TIME], "subset", "exact", False),
    "superset, one more": ([SF], [TIME, SF], "superset", "exact", True),
    "superset, one less": ([SF, TIME], [SF], "superset", "exact", False),
    "superset, more arguments": ([SF], [TIME, SF_MORE], "superset", "superset", True),
    "superset, names only": ([SF, TIME], [TIME, NYC, NYC], "superset", "ignore", True),
}


@pytest.mark.parametrize(("expected", "made", "order", "arguments", "holds"), TRAJECTORIES.values(), ids=TRAJECTORIES)
def test_agentevals(expected, made, order, arguments, holds):
    verdict = ours(expected, made, ORDERS[order], ARGUMENTS[arguments])
    assert (verdict.status == "pass") is holds
    assert agentevals([[one] for one in expected], [[one] for one in made], order, arguments) is holds


ANY = ("weather", {})
DIFFER = {
    "greedy pairing": ([ANY, SF], [SF, NYC], "superset", "superset", False, "pass"),
    "true == 1": ([("time", {"zone": True})], [TIME], "strict", "exact", True, "fail"),
    "argument modes swap sides in subset": ([SF_MORE, TIME], [SF], "subset", "superset", True, "fail"),
    "argument modes go both ways in unordered": ([SF], [SF_MORE], "unordered", "superset", False, "pass"),
}


@pytest.mark.parametrize(("expected", "made", "order", "arguments", "theirs", "status"), DIFFER.values(), ids=DIFFER)
def test_where_agentevals_differs(expected, made, order, arguments, theirs, status):
    assert agentevals([[one] for one in expected], [[one] for one in made], order, arguments) is theirs
    assert ours(expected, made, ORDERS[order], ARGUMENTS[arguments]).status == status


def test_agentevals_strict_lets_the_calls_of_one_answer_be_swapped():
    assert agentevals([[SF, TIME]], [[TIME, SF]], "strict") is True
    assert ours([SF, TIME], [TIME, SF], "exact").status == "fail"


def pydantic_evals(name, made, *, failed=(), output=None, duration=1.0, **keys):
    """What an evaluator of this name says of these tool calls, as spans; `failed`: the calls that ended in an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        evaluators = pytest.importorskip("pydantic_evals.evaluators", reason=NEEDED)
        otel = pytest.importorskip("pydantic_evals.otel.span_tree", reason=NEEDED)
    start = datetime(2026, 1, 2, tzinfo=UTC)
    tree = otel.SpanTree()
    tree.add_spans([
        otel.SpanNode(
            name=f"execute_tool {tool_name}", trace_id=1, span_id=index + 1, parent_span_id=None,
            start_timestamp=start + timedelta(seconds=index), end_timestamp=start + timedelta(seconds=index + 1),
            attributes={"gen_ai.tool.name": tool_name, "gen_ai.tool.call.arguments": json.dumps(given)},
            status="error" if index in failed else "unset",
        )
        for index, (tool_name, given) in enumerate(made)
    ])  # fmt: skip
    context = evaluators.EvaluatorContext(
        name=None, inputs=None, metadata=None, expected_output=None, output=output, duration=duration,
        _span_tree=tree, attributes={}, metrics={},
    )  # fmt: skip
    found = getattr(evaluators, name)(**keys).evaluate(context)
    return getattr(found, "value", found)


NAMES = {
    "exact": ("abc", "abc", "exact", 1.0),
    "in order, one more": ("abc", "abxc", "in_order", 6 / 7),
    "in order, one less": ("abc", "ac", "in_order", 0.8),
    "in order, swapped": ("ab", "ba", "in_order", 0.5),
    "in order, nothing in common": ("ab", "xy", "in_order", 0.0),
    "in order, nothing made": ("ab", "", "in_order", 0.0),
    "any order, swapped": ("abc", "cab", "any_order", 1.0),
    "any order, twice": ("aab", "abb", "any_order", 2 / 3),
}


@pytest.mark.parametrize(("names", "made", "order", "score"), NAMES.values(), ids=NAMES)
def test_pydantic_evals_trajectory(names, made, order, score):
    expected, calls = [(name, {}) for name in names], [(name, {}) for name in made]
    verdict = ours(expected, calls, order.replace("_", "-"))
    assert verdict.score == pytest.approx(score)
    theirs = pydantic_evals("TrajectoryMatch", calls, expected_trajectory=[*names], order=order)
    assert theirs == pytest.approx(score)


TOOLS = {
    "the same": ("ab", "ba", False, True),
    "one more": ("ab", "abc", False, False),
    "one more, allowed": ("ab", "abc", True, True),
    "twice": ("aa", "ab", True, False),
}


@pytest.mark.parametrize(("names", "made", "extra", "holds"), TOOLS.values(), ids=TOOLS)
def test_pydantic_evals_tools(names, made, extra, holds):
    expected, calls = [(name, {}) for name in names], [(name, {}) for name in made]
    assert (ours(expected, calls, "superset" if extra else "any-order").status == "pass") is holds
    assert pydantic_evals("ToolCorrectness", calls, expected_tools=[*names], allow_extra=extra) is holds


VALUES = {
    "exact": ({"a": 1}, {"a": 1.0}, "exact", True),
    "exact, one more": ({"a": 1}, {"a": 1, "b": 2}, "exact", False),
    "subset": ({"a": 1}, {"a": 1, "b": 2}, "subset", True),
    "subset, one less": ({"a": 1, "b": 2}, {"a": 1}, "subset", False),
    "subset, values in full": ({"a": {"x": 1}}, {"a": {"x": 1, "y": 2}}, "subset", False),
}


@pytest.mark.parametrize(("given", "made", "mode", "holds"), VALUES.values(), ids=VALUES)
def test_pydantic_evals_arguments(given, made, mode, holds):
    assert (ours([("f", given)], [("f", made)], "superset", mode).status == "pass") is holds
    theirs = pydantic_evals(
        "ArgumentCorrectness", [("f", made)], tool_name="f", expected_arguments=given, match_mode=mode
    )
    assert theirs is holds


@pytest.mark.parametrize(("most", "holds"), [(2, True), (1, False)])
def test_pydantic_evals_counts(most, holds):
    verdict = judged(check("tool_count", total={"max": most}), subject(call(0, tool("a"), tool("b"))))
    assert (verdict.status == "pass") is holds
    assert pydantic_evals("MaxToolCalls", [("a", {}), ("b", {})], max_calls=most) is holds


@pytest.mark.parametrize(
    ("text", "keys", "theirs"),
    [
        ("Tea is at four.", {"contains": "four"}, {"value": "four"}),
        ("Tea is at four.", {"contains": "Four"}, {"value": "Four"}),
        ("Tea is at four.", {"contains": "FOUR", "ignore_case": True}, {"value": "FOUR", "case_sensitive": False}),
        ("Tea is at four.", {"equals": "Tea is at four."}, {"value": "Tea is at four."}),
        ("Tea is at four.", {"equals": "Tea"}, {"value": "Tea"}),
    ],
)
def test_pydantic_evals_texts(text, keys, theirs):
    verdict = judged(check("text", **keys), subject(call(0, said(text))))
    name = "Equals" if "equals" in keys else "Contains"
    assert (verdict.status == "pass") is pydantic_evals(name, [], output=text, **theirs)


def test_where_pydantic_evals_differs():
    swapped = [("b", {}), ("a", {})]
    assert pydantic_evals("TrajectoryMatch", swapped, expected_trajectory=["a", "b"], order="exact") == 0
    assert ours([("a", {}), ("b", {})], swapped, "exact").score == 0.5
    made = [("f", {"a": 1})]
    assert pydantic_evals("ArgumentCorrectness", made, tool_name="f", expected_arguments={"a": True}) is True
    assert ours([("f", {"a": True})], made, "superset", "subset").status == "fail"
    assert pydantic_evals("ToolCorrectness", made, failed={0}, expected_tools=["f"]) is False
    assert ours([("f", {})], made, "any-order", "ignore").status == "pass"
