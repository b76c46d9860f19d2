"""Which elements of two lists belong together, in order, so that what is missing or new shifts nothing after it.

A global alignment (Needleman & Wunsch 1970) without a cost for gaps: two elements with the same key weigh `SAME`, two
that are merely alike their likeness, which is less than half of it. So a shift, which trades k equal pairs for at most
k + 1 that are alike, never wins. Before any table is filled, common ends are cut off, and keys that occur once on both
sides are taken as fixed where their order agrees (patience diff); lists too long for a table are split at a longest
common subsequence, found bit-parallel (Hyyrö 2004, "Bit-parallel LCS-length computation revisited"). Pure.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

SAME = 2_000
ALIKE = 1_000
"""The upper end of a likeness; what is not the same stays below it."""

Likeness = Callable[[int, int], int]
"""The likeness of the elements at two indices, 0 to `ALIKE`; 0: they are never put together."""

Pair = tuple[int | None, int | None]
"""Indices into the two lists; None: the other one has no partner."""

_TABLE = 256
_CELLS = _TABLE * _TABLE
_BITS = 400_000_000
"""The largest product of two lengths for which a longest common subsequence is looked for (50 MB)."""

_Gap = tuple[int, int, int, int]


def align(one: Sequence[Any], other: Sequence[Any], likeness: Likeness | None = None) -> list[Pair]:
    """All elements of both lists of keys, in order; between two pairs first what `one` alone has.

    Keys are hashable and can be ordered. Without `likeness` only equal keys are put together. The same lists the other
    way round give the same pairs.
    """
    if list(other) < list(one):
        turned = None if likeness is None else lambda i, j: likeness(j, i)
        matched = sorted((i, j) for j, i in _Aligner(other, one, turned).run())
    else:
        matched = sorted(_Aligner(one, other, likeness).run())
    pairs: list[Pair] = []
    i = j = 0
    for left, right in [*matched, (len(one), len(other))]:
        pairs += [(index, None) for index in range(i, left)]
        pairs += [(None, index) for index in range(j, right)]
        if left < len(one):
            pairs.append((left, right))
        i, j = left + 1, right + 1
    return pairs


class _Aligner:
    """Works off gaps, stretches of both lists between which nothing is known yet, until none is left."""

    def __init__(self, one: Sequence[Any], other: Sequence[Any], likeness: Likeness | None) -> None:
        self._one = one
        self._other = other
        self._likeness = likeness
        self._matched: list[tuple[int, int]] = []

    def run(self) -> list[tuple[int, int]]:
        waiting = [(0, len(self._one), 0, len(self._other))]
        while waiting:
            gap = self._without_ends(*waiting.pop())
            if gap[0] == gap[1] or gap[2] == gap[3]:
                continue
            fixed = self._unique(*gap)
            if fixed:
                waiting += self._between(gap, fixed)
            elif self._likeness is not None and (gap[1] - gap[0]) * (gap[3] - gap[2]) <= _CELLS:
                self._fill(*gap, self._likeness)
            else:
                self._long(gap)
        return self._matched

    def _without_ends(self, a: int, b: int, c: int, d: int) -> _Gap:
        """The gap without what is the same at its beginning and at its end."""
        one, other = self._one, self._other
        while a < b and c < d and one[a] == other[c]:
            self._matched.append((a, c))
            a, c = a + 1, c + 1
        while a < b and c < d and one[b - 1] == other[d - 1]:
            b, d = b - 1, d - 1
            self._matched.append((b, d))
        return a, b, c, d

    def _unique(self, a: int, b: int, c: int, d: int) -> list[tuple[int, int]]:
        """Pairs of keys that occur once on either side: the longest series in which both indices rise."""
        here, there = Counter(self._one[a:b]), Counter(self._other[c:d])
        places = {key: j for j, key in enumerate(self._other[c:d], c) if there[key] == 1}
        found = [(i, places[key]) for i, key in enumerate(self._one[a:b], a) if here[key] == 1 and key in places]
        return _rising(found)

    def _between(self, gap: _Gap, fixed: list[tuple[int, int]]) -> list[_Gap]:
        """Takes the pairs; the gaps that they leave."""
        self._matched += fixed
        a, b, c, d = gap
        starts = [(a, c), *((i + 1, j + 1) for i, j in fixed)]
        return [(i, x, j, y) for (i, j), (x, y) in zip(starts, [*fixed, (b, d)], strict=True) if i < x and j < y]

    def _long(self, gap: _Gap) -> None:
        """A gap without unique keys: its longest common subsequence, then pieces of a size that a table can hold."""
        a, b, c, d = gap
        fixed = _common(self._one[a:b], self._other[c:d]) if (b - a) * (d - c) <= _BITS else []
        for i, x, j, y in self._between(gap, [(a + i, c + j) for i, j in fixed]):
            if self._likeness is None:
                continue
            parts = 1 if (x - i) * (y - j) <= _CELLS else -(-max(x - i, y - j) // _TABLE)
            for part in range(parts):
                self._fill(
                    i + (x - i) * part // parts, i + (x - i) * (part + 1) // parts,
                    j + (y - j) * part // parts, j + (y - j) * (part + 1) // parts, self._likeness,
                )  # fmt: skip

    def _fill(self, a: int, b: int, c: int, d: int, likeness: Likeness) -> None:
        """The table, from the end; then the way through it from the beginning, pairs before gaps where both do."""
        one, other = self._one, self._other
        width = d - c
        weights: list[list[int]] = []
        best = [[0] * (width + 1)]
        for i in range(b - 1, a - 1, -1):
            key, below, after = one[i], best[-1], 0
            row, weighed = [0] * (width + 1), [0] * width
            for j in range(width - 1, -1, -1):
                weight = weighed[j] = SAME if key == other[c + j] else likeness(i, c + j)
                if below[j] > after:
                    after = below[j]
                if weight and weight + below[j + 1] > after:
                    after = weight + below[j + 1]
                row[j] = after
            best.append(row)
            weights.append(weighed)
        best.reverse()
        weights.reverse()
        i = j = 0
        while i < b - a and j < width:
            weight = weights[i][j]
            if weight and best[i][j] == weight + best[i + 1][j + 1]:
                self._matched.append((a + i, c + j))
                i, j = i + 1, j + 1
            elif best[i][j] == best[i + 1][j]:
                i += 1
            else:
                j += 1


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of `pairs`, which are sorted by their first index, in which the second rises too."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int | None] = []
    for at, (_, j) in enumerate(pairs):
        length = bisect_left(ends, j)
        before.append(last[length - 1] if length else None)
        ends[length : length + 1] = [j]
        last[length : length + 1] = [at]
    found = []
    step = last[-1] if last else None
    while step is not None:
        found.append(pairs[step])
        step = before[step]
    return found[::-1]


def _common(one: Sequence[Any], other: Sequence[Any]) -> list[tuple[int, int]]:
    """A longest common subsequence, as pairs of indices; the earliest where there are several.

    Both are read from their end, so that the way back begins at their beginning. In the bits of a row, one for each
    element of `other`, a 0 says that up to here the common subsequence is longer by one.
    """
    m, n = len(one), len(other)
    places: dict[Any, int] = {}
    for j, key in enumerate(reversed(other)):
        places[key] = places.get(key, 0) | 1 << j
    full = row = (1 << n) - 1
    rows = []
    for key in reversed(one):
        held = row & places.get(key, 0)
        row = ((row + held) | (row - held)) & full
        rows.append(row)
    found = []
    i, j = m, n
    while i and j:
        if rows[i - 1] >> (j - 1) & 1:
            j -= 1
            continue
        i -= 1
        if i == 0 or rows[i - 1] >> (j - 1) & 1:
            j -= 1
            found.append((m - 1 - i, n - 1 - j))
    return found
