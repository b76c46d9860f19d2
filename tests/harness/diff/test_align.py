"""Alignment of two lists: what is missing or new is found, and shifts nothing else."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.diff.align import ALIKE, align

KEYS = st.lists(st.integers(0, 6), max_size=40)
FEW_OR_MANY = st.sampled_from([1, 2, 5, 1000])


def like(one, other):
    """Keys of the same parity are alike."""
    return lambda i, j: ALIKE // 2 if (one[i] + other[j]) % 2 == 0 else 0


def paired(pairs):
    return [(i, j) for i, j in pairs if i is not None and j is not None]


def check(pairs, one, other):
    """Every element is there once, in order."""
    assert [i for i, _ in pairs if i is not None] == list(range(len(one)))
    assert [j for _, j in pairs if j is not None] == list(range(len(other)))


def longest(one, other):
    """The length of a longest common subsequence, by the plain table."""
    row = [0] * (len(other) + 1)
    for key in one:
        before = row[:]
        for j, item in enumerate(other, 1):
            row[j] = before[j - 1] + 1 if key == item else max(before[j], row[j - 1])
    return row[-1]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([], [], []),
        ([], [1], [(None, 0)]),
        ([1], [], [(0, None)]),
        ([1, 2, 3], [1, 2, 3], [(0, 0), (1, 1), (2, 2)]),
        ([1, 2, 3], [1, 3], [(0, 0), (1, None), (2, 1)]),
        ([1, 3], [1, 2, 3], [(0, 0), (None, 1), (1, 2)]),
        ([1, 1, 1], [1, 1], [(0, 0), (1, 1), (2, None)]),
        ([1, 2], [3, 4], [(0, None), (1, None), (None, 0), (None, 1)]),
        ([1, 2, 3, 4], [3, 4, 1, 2], None),
    ],
    ids=["nothing", "only new", "only gone", "same", "one gone", "one new", "repeated", "all other", "moved"],
)
def test_equal_keys(one, other, expected):
    pairs = align(one, other)
    check(pairs, one, other)
    if expected is None:
        assert len(paired(pairs)) == 2
    else:
        assert pairs == expected


def test_alike_are_put_together_and_the_rest_is_not():
    one, other = [1, 10, 2, 20], [1, 12, 2, 21]
    assert paired(align(one, other, like(one, other))) == [(0, 0), (1, 1), (2, 2)]


def test_a_shift_of_similar_elements_never_wins_over_equal_ones():
    one, other = [*range(0, 60, 2)], [*range(2, 62, 2)]
    pairs = align(one, other, lambda i, j: ALIKE - 1)
    assert pairs[0] == (0, None)
    assert pairs[-1] == (None, 29)
    assert all(one[i] == other[j] for i, j in paired(pairs))


@settings(max_examples=50)
@given(KEYS)
def test_a_list_with_itself(keys):
    assert align(keys, keys) == [(i, i) for i in range(len(keys))]


@settings(max_examples=50)
@given(st.randoms(use_true_random=False), FEW_OR_MANY, st.integers(0, 500), st.booleans())
def test_a_list_without_some_elements(draw, alphabet, size, alike):
    keys = [draw.randrange(alphabet) for _ in range(size)]
    left = [key for key in keys if draw.random() < 0.7]
    pairs = align(keys, left, (lambda i, j: ALIKE - 1) if alike else None)
    check(pairs, keys, left)
    assert all(keys[i] == left[j] for i, j in paired(pairs))
    assert len(paired(pairs)) == len(left)


@settings(max_examples=50)
@given(KEYS, KEYS, st.booleans())
def test_the_other_way_round(one, other, alike):
    there = align(one, other, like(one, other) if alike else None)
    back = align(other, one, like(other, one) if alike else None)
    assert sorted(paired(there)) == sorted((i, j) for j, i in paired(back))
    check(there, one, other)
    check(back, other, one)


@settings(max_examples=50)
@given(st.randoms(use_true_random=False), st.sampled_from([2, 4]), st.integers(0, 60))
def test_without_likeness_or_unique_keys_it_is_a_longest_common_subsequence(draw, alphabet, size):
    one, other = ([draw.randrange(alphabet) for _ in range(size)] * 2 for _ in range(2))
    assert len(paired(align(one, other))) == longest(one, other)


def test_long_lists_without_a_common_key_are_put_together_piece_by_piece():
    one, other = [f"a{i}" for i in range(1000)], [f"b{i}" for i in range(1000)]
    asked = 0

    def same_number(i, j):
        nonlocal asked
        asked += 1
        return ALIKE // 2 if i == j else 0

    assert align(one, other, same_number) == [(i, i) for i in range(1000)]
    assert asked < 1000 * 1000 / 3


def test_likeness_is_asked_only_where_keys_do_not_tell():
    keys = [*range(2000)]
    left = [key for key in keys if key % 400 != 7]
    left.insert(1000, -1)
    asked = []
    align(keys, left, lambda i, j: asked.append((i, j)) or 0)
    assert len(asked) <= 5


def test_repeated_keys_in_lists_too_long_for_a_table():
    draw = random.Random(3)
    keys = [draw.randrange(3) for _ in range(3000)]
    left = [key for key in keys if draw.random() < 0.5]
    assert len(paired(align(keys, left, lambda i, j: ALIKE - 1))) == len(left)
