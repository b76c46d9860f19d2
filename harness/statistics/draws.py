"""Deterministic random numbers: SHAKE128 (FIPS 202) over the seed and a block number, read as little-endian integers.

The same on every machine and Python version, and made in C: half a million draws take some hundredths of a second.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from hashlib import shake_128
from struct import unpack

_BLOCK = 1 << 16
"""Words made at a time, so that memory stays flat however many are drawn."""

_KEPT = 1 << 20
"""Draws that are kept for the next figure, some tens of megabytes."""


def random_bytes(seed: int, block: int, size: int) -> bytes:
    """`size` bytes of block `block`: SHAKE128 of the ASCII text `seed/block`."""
    return shake_128(f"{seed}/{block}".encode()).digest(size)


def resamples(n: int, count: int, seed: int) -> Iterator[list[int]]:
    """`count` samples of size n drawn with replacement from 0..n-1, each a list of n indices.

    A 32-bit word w becomes w * n >> 32 (Lemire 2019, without rejection: off uniform by less than n / 2**32).
    """
    if n < 1:
        raise ValueError("nothing to draw from")
    if n * count <= _KEPT:
        return iter(_kept(n, count, seed))
    return _drawn(n, count, seed)


@lru_cache(maxsize=1)
def _kept(n: int, count: int, seed: int) -> list[list[int]]:
    """Several figures of the same tasks, one after the other, take the same samples: they are drawn once."""
    return [*_drawn(n, count, seed)]


def _drawn(n: int, count: int, seed: int) -> Iterator[list[int]]:
    rows = max(1, _BLOCK // n)
    numbers = [*range(n)]  # one object for each index, however often it is drawn
    for block, start in enumerate(range(0, count, rows)):
        words = min(rows, count - start) * n
        picked = [numbers[word * n >> 32] for word in unpack(f"<{words}I", random_bytes(seed, block, 4 * words))]
        for at in range(0, words, n):
            yield picked[at : at + n]
