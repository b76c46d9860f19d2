"""When a failed call is tried again, and after how long. Pure: the caller brings the jitter and does the waiting.

A call is retried only before any of its output was seen (text, reasoning or a tool call): a reader cannot unsee it.
"""

from __future__ import annotations

from dataclasses import dataclass

from agent.events import Error


@dataclass(slots=True, frozen=True)
class RetryLimits:
    """`retries`: further tries after the first. Waits in seconds: `base` doubles with each retry up to `longest`.

    A provider's `Retry-After` over `patience` is not waited for: the failure is reported at once, with its hint.
    """

    retries: int = 3
    base: float = 0.5
    longest: float = 8.0
    patience: float = 60.0


LIMITS = RetryLimits()


def should_retry(error: Error, attempt: int, had_output: bool, limits: RetryLimits = LIMITS) -> bool:
    """Whether try number `attempt` (from 0), which failed with `error`, is followed by another."""
    if had_output or not error.retryable or attempt >= limits.retries:
        return False
    return error.retry_after is None or error.retry_after <= limits.patience


def delay(attempt: int, retry_after: float | None, jitter: float, limits: RetryLimits = LIMITS) -> float:
    """Seconds to wait after try number `attempt` (from 0). `jitter` is a random number from 0 to 1.

    Half of the backoff is fixed and half random, so that many clients do not return together. What the provider
    asked for is never undercut.
    """
    backoff = min(limits.longest, limits.base * 2.0**attempt)
    wait = backoff / 2 + backoff / 2 * jitter
    return wait if retry_after is None else max(retry_after, wait)
