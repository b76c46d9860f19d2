from __future__ import annotations

from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.checks.pairing import best_assignment, best_in_order, longest_common, maximum_matching


@st.composite
def tables(draw, values):
    rows, columns = draw(st.integers(0, 4)), draw(st.integers(0, 4))
    return [[draw(values) for _ in range(columns)] for _ in range(rows)]


WEIGHTS = tables(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]))


def all_pairings(rows, columns):
    for size in range(min(rows, columns) + 1):
        for left in combinations(range(rows), size):
            for right in permutations(range(columns), size):
                yield dict(zip(left, right, strict=True))


def most(table, allowed=lambda pairs: True):
    columns = len(table[0]) if table else 0
    return max(sum(table[i][j] for i, j in p.items()) for p in all_pairings(len(table), columns) if allowed(p))


def is_pairing(pairs):
    return len({*pairs.values()}) == len(pairs)


def test_greedy_would_miss_a_pair():
    assert maximum_matching([[0, 1], [0]], 2) == {0: 1, 1: 0}
    assert maximum_matching([[0, 1], [0, 2], [0]], 3) == {0: 1, 1: 2, 2: 0}


@settings(max_examples=50)
@given(tables(st.booleans()))
def test_no_matching_has_more_pairs(table):
    agree = [[column for column, value in enumerate(row) if value] for row in table]
    pairs = maximum_matching(agree, len(table[0]) if table else 0)
    assert is_pairing(pairs)
    assert all(table[i][j] for i, j in pairs.items())
    assert len(pairs) == most(table)


@settings(max_examples=50)
@given(WEIGHTS)
def test_no_assignment_weighs_more(table):
    pairs = best_assignment(table)
    assert is_pairing(pairs)
    assert all(table[i][j] > 0 for i, j in pairs.items())
    assert sum(table[i][j] for i, j in pairs.items()) == most(table)


@settings(max_examples=50)
@given(WEIGHTS)
def test_no_pairs_in_order_weigh_more(table):
    def in_order(pairs):
        return [*pairs.values()] == sorted({*pairs.values()})

    pairs = best_in_order(table)
    assert in_order(pairs)
    assert [*pairs] == sorted(pairs)
    assert sum(table[i][j] for i, j in pairs.items()) == most(table, in_order)


@settings(max_examples=100)
@given(tables(st.booleans()), st.integers(0, 2), st.integers(0, 2))
def test_no_common_sequence_is_longer(table, start, end):
    columns = len(table[0]) if table else 0
    within = range(start, columns - end)
    agree = [[column for column, value in enumerate(row) if value] for row in table]
    pairs = longest_common(agree, within)
    assert [*pairs] == sorted(pairs)
    assert [*pairs.values()] == sorted({*pairs.values()})
    assert all(table[i][j] and j in within for i, j in pairs.items())
    assert len(pairs) == len(best_in_order([[float(row[column]) for column in within] for row in table]))


@pytest.mark.parametrize("find", [best_assignment, best_in_order])
@pytest.mark.parametrize("table", [[], [[]], [[], []], [[0.0]]])
def test_nothing_to_pair(find, table):
    assert find(table) == {}


def test_against_scipy():
    optimize = pytest.importorskip("scipy.optimize", reason="needs scipy: pip install -e '.[peers]'")
    numpy = pytest.importorskip("numpy", reason="needs numpy: pip install -e '.[peers]'")
    random = numpy.random.default_rng(7)
    for rows, columns in ((30, 30), (12, 40), (40, 12)):
        table = random.random((rows, columns))
        left, right = optimize.linear_sum_assignment(table, maximize=True)
        found = best_assignment(table.tolist())
        assert sum(table[i][j] for i, j in found.items()) == pytest.approx(table[left, right].sum())
