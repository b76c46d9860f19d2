from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.checks.expected import Expected
from harness.checks.selecting import ToolCall
from harness.checks.trajectory import compare

ORDERS = ("exact", "in-order", "any-order", "subset", "superset")


def made(names):
    return [ToolCall(name, {}, index) for index, name in enumerate(names)]


def expected(names):
    return [Expected(name, {}, "exact") for name in names]


HOLD = {
    "the same": ("ab", "ab", {*ORDERS}),
    "nothing": ("", "", {*ORDERS}),
    "swapped": ("ab", "ba", {"any-order", "subset", "superset"}),
    "one more between": ("ab", "acb", {"in-order", "superset"}),
    "one more, swapped": ("ab", "bca", {"superset"}),
    "one less": ("ab", "a", {"subset"}),
    "another": ("ab", "ac", set()),
    "twice for once": ("a", "aa", {"in-order", "superset"}),
    "once for twice": ("aa", "a", {"subset"}),
    "nothing made": ("a", "", {"subset"}),
    "nothing expected": ("", "a", {"in-order", "superset"}),
}


@pytest.mark.parametrize(("names", "calls", "orders"), HOLD.values(), ids=HOLD)
def test_orders(names, calls, orders):
    assert {order for order in ORDERS if compare(expected(names), made(calls), order).reason() is None} == orders


NAMES = st.text("abc", max_size=5)


@settings(max_examples=50)
@given(NAMES, NAMES)
def test_laws(names, calls):
    holds = {order: compare(expected(names), made(calls), order) for order in ORDERS}
    passed = {order for order, compared in holds.items() if compared.reason() is None}
    assert ("exact" in passed) == (names == calls)
    assert ("any-order" in passed) == ({"subset", "superset"} <= passed) == (sorted(names) == sorted(calls))
    assert "in-order" not in passed or "superset" in passed
    for compared in holds.values():
        assert 0 <= compared.score <= 1
    assert holds["any-order"].score >= holds["in-order"].score == holds["exact"].score
    assert (holds["any-order"].score == 1) == ("any-order" in passed)


def test_the_best_pairs_not_the_first():
    wanted = [Expected("f", {}, "ignore"), Expected("f", {"a": 1}, "exact")]
    calls = [ToolCall("f", {"a": 1}, 0), ToolCall("f", {"a": 2}, 1)]
    assert compare(wanted, calls, "any-order").reason() is None


def test_scores():
    assert compare(expected("abcd"), made("abxd"), "exact").score == 0.75
    assert compare(expected("ab"), made("axxb"), "in-order").score == pytest.approx(2 / 3)
    assert compare(expected("ab"), made("ba"), "exact").score == 0.5
    assert compare([], [], "exact").score == 1


REASONS = {
    "missing": (
        [("a", {"p": 1})], [], "exact",
        'calls[0], a {"p":1}, was not made (precision 0/0, recall 0/1)',
    ),
    "nearest": (
        [("a", {"p": "notes.md"})], [("b", {}), ("a", {"p": "other"}), ("a", {"p": "note.md"})], "superset",
        'calls[0], a {"p":"notes.md"}, was not made; the nearest is a {"p":"note.md"} in call 2: '
        'p: expected "notes.md", made "note.md" (precision 0/3, recall 0/1)',
    ),
    "nearest of another name": (
        [("read", {"p": 1})], [("cat", {"p": 1})], "any-order",
        'calls[0], read {"p":1}, was not made; the nearest is cat {"p":1} in call 0: '
        "name: expected read, made cat (precision 0/1, recall 0/1)",
    ),
    "argument missing": (
        [("a", {"p": 1})], [("a", {})], "any-order",
        'calls[0], a {"p":1}, was not made; the nearest is a {} in call 0: p: expected 1, made nothing '
        "(precision 0/1, recall 0/1)",
    ),
    "too many": (
        [("a", {})], [("a", {}), ("b", {"c": True})], "exact",
        'b {"c":true} in call 1 is not expected (precision 1/2, recall 1/1)',
    ),
    "too many, subset": (
        [("a", {"p": 1})], [("a", {"p": 2})], "subset",
        'a {"p":2} in call 0 is not expected; the nearest, a {"p":1}, differs in p: expected 1, made 2 '
        "(precision 0/1, recall 0/1)",
    ),
    "elsewhere": (
        [("a", {}), ("b", {})], [("b", {}), ("a", {})], "in-order",
        "calls[0], a {}, was not made in its place but in call 1 (precision 1/2, recall 1/2)",
    ),
    "in its place first": (
        [("a", {}), ("f", {"x": 1}), ("b", {})], [("a", {}), ("f", {"x": 2}), ("b", {})], "exact",
        'calls[1], f {"x":1}, was not made; the nearest is f {"x":2} in call 1: x: expected 1, made 2 '
        "(precision 2/3, recall 2/3)",
    ),
    "many": (
        [(name, {}) for name in "abcde"], [], "superset",
        "calls[0], a {}, was not made; calls[1], b {}, was not made; calls[2], c {}, was not made; 2 more "
        "(precision 0/0, recall 0/5)",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("names", "calls", "order", "reason"), REASONS.values(), ids=REASONS)
def test_reasons(names, calls, order, reason):
    wanted = [Expected(name, given, "exact") for name, given in names]
    calls = [ToolCall(name, given, index) for index, (name, given) in enumerate(calls)]
    assert compare(wanted, calls, order).reason() == reason


def test_a_long_run_with_one_gap_shows_that_one():
    names = [f"t{index % 7}" for index in range(200)]
    compared = compare(expected(names), made([*names[:90], *names[91:]]), "exact")
    assert len(compared.pairs) == 199
    assert len(compared.problems) == 1
