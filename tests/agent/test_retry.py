from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.failures import error
from agent.retry import LIMITS, RetryLimits, delay, should_retry


@pytest.mark.parametrize(
    ("kind", "attempt", "had_output", "retry_after", "expected"),
    [
        pytest.param("rate_limit", 0, False, None, True, id="first try"),
        pytest.param("rate_limit", LIMITS.retries - 1, False, None, True, id="last retry"),
        pytest.param("rate_limit", LIMITS.retries, False, None, False, id="retries used up"),
        pytest.param("overloaded", 0, True, None, False, id="output was seen"),
        pytest.param("auth", 0, False, None, False, id="not retryable"),
        pytest.param("rate_limit", 0, False, LIMITS.patience, True, id="a wait within patience"),
        pytest.param("rate_limit", 0, False, LIMITS.patience + 1, False, id="a wait beyond patience"),
    ],
)
def test_should_retry(kind, attempt, had_output, retry_after, expected):
    assert should_retry(error(kind, "m", retry_after=retry_after), attempt, had_output) is expected


def test_no_retries_by_limit():
    assert not should_retry(error("network", "m"), 0, False, RetryLimits(retries=0))


@given(st.integers(0, 60), st.one_of(st.none(), st.floats(0, 100)), st.floats(0, 1))
def test_delay_is_bounded_and_never_undercuts_the_provider(attempt, retry_after, jitter):
    wait = delay(attempt, retry_after, jitter)
    assert 0 < wait <= max(LIMITS.longest, retry_after or 0)
    if retry_after is not None:
        assert wait >= retry_after


def test_delay_doubles_up_to_the_longest():
    assert [delay(n, None, 1.0) for n in range(6)] == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0]
    assert delay(0, None, 0.0) == 0.25
