from __future__ import annotations

import pytest

from harness.verdicts import worst


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ([], "pass"),
        (["pass"], "pass"),
        (["pass", "fail"], "fail"),
        (["error", "fail", "pass"], "error"),
    ],
)
def test_the_worst_counts(statuses, expected):
    assert worst(statuses) == expected
