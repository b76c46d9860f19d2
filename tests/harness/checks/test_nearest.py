from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.checks import nearest as module
from harness.checks import trajectory
from harness.checks.expected import Expected
from harness.checks.nearest import nearest, nearest_in_order, weight
from harness.checks.selecting import ToolCall
from harness.checks.trajectory import compare


def calls(*texts: str) -> list[ToolCall]:
    return [ToolCall(text[0], {"a": text[1:]}, index) for index, text in enumerate(texts)]


def wanted(*texts: str) -> list[Expected]:
    return [Expected(text[0], {"a": text[1:]}, "exact") for text in texts]


@pytest.fixture
def many(monkeypatch):
    monkeypatch.setattr(module, "MANY", 0)
    monkeypatch.setattr(trajectory, "MANY", 0)


def test_the_name_counts_most():
    (one,) = wanted("fabc")
    same, alike, other, nothing = (weight(one, call) for call in calls("fxyz", "gabc", "gabx", "gxyz"))
    assert 1 > same > alike > other > nothing == 0


def test_any_order():
    expected, made = wanted("fab", "fcd", "gx"), calls("gy", "fcx", "fax")
    assert nearest(expected, made, [0, 1, 2], [0, 1, 2]) == {0: 2, 1: 1, 2: 0}
    assert nearest(expected, made, [1], [0, 2]) == {1: 2}
    assert nearest(expected, made, [], [0]) == {}


def test_many_in_any_order(many):
    expected, made = wanted("fab", "fcd", "gx"), calls("gy", "fcx", "fax")
    assert nearest(expected, made, [0, 1, 2], [0, 1, 2]) == {0: 1, 1: 2, 2: 0}


def test_in_order():
    expected, made = wanted("fab", "gx"), calls("gy", "fax", "gz")
    assert nearest_in_order(expected, made, range(2), range(3)) == {0: 1, 1: 2}
    assert nearest_in_order(expected, made, range(0), range(3)) == {}


def test_many_in_order(many):
    assert nearest_in_order(wanted("fab", "gx"), calls("gy", "gz", "f"), range(2), range(3)) == {1: 1}


TEXTS = st.lists(st.sampled_from(["fa", "fb", "ga", "gb", "h"]), max_size=8)


@settings(max_examples=150)
@given(TEXTS, TEXTS, st.sampled_from(["exact", "in-order", "any-order", "subset", "superset"]))
def test_the_verdict_and_the_score_are_the_same_for_many(expected, made, order):
    exact = compare(wanted(*expected), calls(*made), order)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MANY", 0)
        patch.setattr(trajectory, "MANY", 0)
        fast = compare(wanted(*expected), calls(*made), order)
    assert (fast.score, fast.reason() is None) == (exact.score, exact.reason() is None)
    assert len(fast.pairs) == len(exact.pairs)
    for left, right in fast.pairs.items():
        assert wanted(*expected)[left].agrees(calls(*made)[right])


@pytest.mark.parametrize("order", ["exact", "any-order"])
def test_a_thousand_wrong_calls(order):
    expected = [Expected("f", {"path": f"{index}.txt"}, "exact") for index in range(1000)]
    made = [ToolCall("f", {"path": f"{index}.md"}, index) for index in range(1000)]
    compared = compare(expected, made, order)
    assert compared.score == 0
    assert len(compared.problems) == 1000
    assert compared.problems[0] == (
        'calls[0], f {"path":"0.txt"}, was not made; the nearest is f {"path":"0.md"} in call 0: '
        'path: expected "0.txt", made "0.md"'
    )
