"""The generator: reference vectors, the same draws everywhere, evenness."""

from __future__ import annotations

from collections import Counter
from itertools import chain

import pytest

from harness.statistics.draws import random_bytes, resamples

VECTORS = ("fc6f1eb6c08cd95c47fecb0b8f9959e5", "7be0cfae9d4cb6f7a34b94b3991a814f")


def test_bytes_are_shake128_of_seed_and_block():
    """The vectors were made with OpenSSL: `printf %s 7/3 | openssl dgst -shake128 -xoflen 16`."""
    assert random_bytes(0, 0, 16).hex() == VECTORS[0]
    assert random_bytes(7, 3, 16).hex() == VECTORS[1]
    assert random_bytes(7, 3, 8).hex() == VECTORS[1][:16]


def test_words_are_little_endian_and_scaled():
    words = [int.from_bytes(random_bytes(0, 0, 20)[at : at + 4], "little") for at in range(0, 20, 4)]
    assert next(resamples(5, 1, 0)) == [word * 5 // 2**32 for word in words]


@pytest.mark.parametrize(("n", "count"), [(1, 3), (7, 20_000), (65_536, 2), (100_000, 2), (3, 0)])
def test_samples_have_their_size_and_range(n, count):
    drawn = list(resamples(n, count, 1))
    assert len(drawn) == count
    assert all(len(sample) == n and min(sample) >= 0 and max(sample) < n for sample in drawn)
    assert drawn == list(resamples(n, count, 1))


def test_other_seeds_and_blocks_draw_otherwise():
    assert next(resamples(50, 1, 0)) != next(resamples(50, 1, 1))
    rows = list(resamples(50, 3000, 0))
    assert len(set(map(tuple, rows))) == len(rows)


def test_draws_are_even():
    """Chi-squared over 50 cells and 500,000 draws: its 99.9 percent point with 49 degrees of freedom is 85.4."""
    counts = Counter(chain.from_iterable(resamples(50, 10_000, 0)))
    assert sum((counts[i] - 10_000) ** 2 / 10_000 for i in range(50)) < 85.4


def test_nothing_to_draw_from_is_refused():
    with pytest.raises(ValueError, match="nothing to draw"):
        next(resamples(0, 1, 0))
