"""Finds the best pairs of two lists: as many as can be had, never greedily. Pure.

`maximum_matching` finds the most pairs that agree (augmenting paths: Berge, Proc. Natl. Acad. Sci. 43, 1957);
`best_assignment` those that are most alike in all (the Hungarian method: Kuhn, Naval Research Logistics 2, 1955, with
potentials as in Jonker and Volgenant, Computing 38, 1987); `best_in_order` the same of pairs that keep their order
(Needleman and Wunsch, J. Mol. Biol. 48, 1970); `longest_common` the most pairs that keep their order, fast where few
agree (Hunt and Szymanski, Comm. ACM 20, 1977).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from math import inf
from typing import Any

Pairs = dict[int, int]
"""Left index to right index."""


def maximum_matching(agree: Sequence[Sequence[int]], right: int) -> Pairs:
    """The most pairs. `agree`: for each left index the right ones (under `right`) that it may be paired with."""
    left_of: list[int | None] = [None] * right
    right_of: Pairs = {}
    for start in range(len(agree)):
        came_from: dict[int, int] = {}
        waiting = deque([start])
        free = None
        while waiting and free is None:
            left = waiting.popleft()
            for candidate in agree[left]:
                if candidate in came_from:
                    continue
                came_from[candidate] = left
                owner = left_of[candidate]
                if owner is None:
                    free = candidate
                    break
                waiting.append(owner)
        while free is not None:
            left = came_from[free]
            before = right_of.get(left)
            left_of[free], right_of[left] = left, free
            free = before
    return dict(sorted(right_of.items()))


def best_assignment(weights: Sequence[Sequence[float]]) -> Pairs:
    """The pairs whose weights (0 and more) sum to the most; pairs of weight 0 are left out."""
    if not weights or not weights[0]:
        return {}
    if len(weights) > len(weights[0]):
        turned = best_assignment([*zip(*weights, strict=True)])
        return dict(sorted((left, right) for right, left in turned.items()))
    row_of = _hungarian([[-weight for weight in row] for row in weights])
    return dict(sorted((row, column) for column, row in row_of.items() if weights[row][column] > 0))


def _hungarian(costs: list[list[float]]) -> Pairs:
    """The row of each column that has one, at least cost in all. There are no more rows than columns."""
    rows, columns = len(costs), len(costs[0])
    row_potential, column_potential = [0.0] * rows, [0.0] * (columns + 1)
    row_of: list[int | None] = [None] * (columns + 1)
    for row in range(rows):
        current = columns
        row_of[current] = row
        least = [inf] * columns
        before = [columns] * columns
        used = [False] * (columns + 1)
        while (here := row_of[current]) is not None:
            used[current] = True
            step, following = inf, columns
            for column in range(columns):
                if used[column]:
                    continue
                reduced = costs[here][column] - row_potential[here] - column_potential[column]
                if reduced < least[column]:
                    least[column], before[column] = reduced, current
                if least[column] < step:
                    step, following = least[column], column
            for column in range(columns + 1):
                owner = row_of[column]
                if used[column] and owner is not None:
                    row_potential[owner] += step
                    column_potential[column] -= step
                elif column < columns:
                    least[column] -= step
            current = following
        while current != columns:
            row_of[current] = row_of[before[current]]
            current = before[current]
    return {column: owner for column, owner in enumerate(row_of[:columns]) if owner is not None}


def best_in_order(weights: Sequence[Sequence[float]]) -> Pairs:
    """The pairs that follow one another on both sides and whose weights (0 and more) sum to the most."""
    rows, columns = len(weights), len(weights[0]) if weights else 0
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for row in range(rows - 1, -1, -1):
        for column in range(columns - 1, -1, -1):
            skipped = max(best[row + 1][column], best[row][column + 1])
            best[row][column] = max(skipped, best[row + 1][column + 1] + weights[row][column])
    pairs: Pairs = {}
    row = column = 0
    while row < rows and column < columns:
        weight = weights[row][column]
        if weight > 0 and best[row][column] == best[row + 1][column + 1] + weight:
            pairs[row] = column
            row, column = row + 1, column + 1
        elif best[row][column] == best[row + 1][column]:
            row += 1
        else:
            column += 1
    return pairs


def longest_common(agree: Sequence[Sequence[int]], within: range) -> Pairs:
    """The most pairs that follow one another on both sides. `agree`: for each left index the right ones that it may be
    paired with, rising; those outside `within` do not count."""
    ends: list[int] = []  # [n]: the least right index at which a chain of n + 1 pairs ends
    chains: list[tuple[int, int, Any]] = []  # [n]: the last pair of that chain, and the chain before it
    for left, places in enumerate(agree):
        for right in reversed(places):
            if right in within:
                length = bisect_left(ends, right)
                chain = (left, right, chains[length - 1] if length else None)
                ends[length : length + 1] = [right]
                chains[length : length + 1] = [chain]
    pairs: Pairs = {}
    link = chains[-1] if chains else None
    while link is not None:
        left, right, link = link
        pairs[left] = right
    return dict(sorted(pairs.items()))
