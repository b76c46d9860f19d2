"""Success over repeats of a task: pass@k (one of k tries succeeds) and pass^k (all k tries succeed)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb, fsum


def _checked(n: int, c: int, k: int) -> None:
    if not 0 <= c <= n:
        raise ValueError(f"{c} successes of {n} tries")
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")


def pass_at_k(n: int, c: int, k: int) -> float | None:
    """Probability that at least one of k tries succeeds, estimated without bias from c successes of n tries.

    1 - C(n-c, k) / C(n, k): Chen et al. 2021 (Evaluating Large Language Models Trained on Code, section 2.1).
    None where n < k: fewer tries than k cannot tell. ValueError for impossible counts.
    """
    _checked(n, c, k)
    return None if n < k else (comb(n, k) - comb(n - c, k)) / comb(n, k)


def pass_hat_k(n: int, c: int, k: int) -> float | None:
    """Probability that all of k tries succeed: C(c, k) / C(n, k) (Yao et al. 2024, tau-bench).

    None where n < k. ValueError for impossible counts.
    """
    _checked(n, c, k)
    return None if n < k else comb(c, k) / comb(n, k)


def mean_over_tasks(
    estimate: Callable[[int, int, int], float | None], counts: Sequence[tuple[int, int]], k: int
) -> float | None:
    """Mean of `estimate(n, c, k)` over tasks, given as (tries, successes).

    None without a task, and as soon as one task has fewer than k tries: leaving it out would flatter or slander.
    """
    values = [estimate(n, c, k) for n, c in counts]
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if known and len(known) == len(values) else None
