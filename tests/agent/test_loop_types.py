from __future__ import annotations

import pytest

from agent.loop_types import Limits


@pytest.mark.parametrize("mode", ["PLAN", "FIX", "BUILD", "SWE"])
def test_limits_of_a_mode(mode):
    limits = Limits.for_mode(mode)
    assert limits.max_iterations == (60 if mode == "SWE" else 25)
    assert (limits.max_repeats, limits.max_result_chars, limits.max_request_chars) == (3, 20_000, 200_000)


def test_limits_as_json():
    limits = Limits(max_iterations=2, max_repeats=0)
    assert Limits.from_dict(limits.to_dict()) == limits
    assert Limits.from_dict({"max_iterations": 2, "of_a_later_version": 1}) == Limits(max_iterations=2)
