"""Sums of calls by group."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.costs.calls import CallCost
from harness.costs.sums import GROUPS, Money, Sums, in_order, merge, sums_by, whole
from harness.report.figures import TOKENS
from tests.harness.costs.facts import recording

USAGE = dict.fromkeys(TOKENS) | {"input_tokens": 100, "output_tokens": 10}
AT = datetime(2026, 1, 2, 23, 59, tzinfo=UTC)
ONE = CallCost(
    call=0, turn=0, retry=False, failed=False, billable=True, at=AT, provider="p", model="m", usage=USAGE,
    usd=Decimal(1), uncached_usd=Decimal(3), exceeds_input=False, source=0,
)  # fmt: skip


def cost(number=0, **given):
    return replace(ONE, call=number, **given)


def added(*calls):
    sums = Sums()
    for one in calls:
        sums.add(one)
    return sums


NOTHING = {"usd": Decimal(0), "uncached_usd": Decimal(0), "usage": None, "billable": False, "source": None}
UNPRICED = {"usd": None, "uncached_usd": None, "source": None}


def test_what_calls_add_up_to():
    sums = added(
        cost(),
        cost(failed=True, usd=Decimal(2)),
        cost(failed=True, retry=True, **NOTHING),
        cost(retry=True, failed=True, **UNPRICED),
        cost(**UNPRICED | {"usage": None, "at": None}),
        cost(exceeds_input=True, source=1),
    )
    assert sums.calls == 6
    assert sums.cost == Money(Decimal(4), 3, 2)
    assert (sums.failed_calls, sums.failed) == (3, Money(Decimal(2), 1, 1))
    assert (sums.retry_calls, sums.retries) == (2, Money(Decimal(0), 0, 1))
    assert (sums.cached, sums.uncached) == (4, 9)
    assert sums.usage["input_tokens"] == 400
    assert sums.usage["cache_read_tokens"] is None
    assert (sums.tokens, sums.unpriced_tokens, sums.without_usage) == (440, 110, 1)
    assert (sums.exceeding, sums.undated) == (1, 1)
    assert sums.sources == {0: 2, 1: 1}
    assert (sums.models, sums.no_price) == ({"p/m": 6}, {"p/m": 2})


def test_another_model_is_compared_over_calls_that_have_a_price_on_both():
    sums = added(
        cost(on=(Decimal(5), None)),
        cost(on=(None, Decimal(7)), **UNPRICED),
        cost(on=(Decimal(0), Decimal(0)), **NOTHING),
    )
    first, second = sums.on
    assert (first.cost, first.calls, first.usd, first.was_usd) == (Money(Decimal(5), 1, 1), 1, 5, 1)
    assert (second.cost, second.calls, second.usd, second.was_usd) == (Money(Decimal(7), 1, 1), 0, 0, 0)


CALLS = [
    cost(),
    cost(1, provider="q", model=None, at=None),
    cost(2, provider=None, at=AT.replace(day=1)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("group", "keys"),
    [
        ("model", ["p/m", "q/?", "?/m"]),
        ("provider", ["p", "q", "?"]),
        ("task", ["t"]),
        ("recording", ["x.jsonl"]),
        ("day", ["2026-01-02", "?", "2026-01-01"]),
        ("call", ["x.jsonl call 0", "x.jsonl call 1", "x.jsonl call 2"]),
    ],
)
def test_groups(group, keys):
    found = sums_by(group, recording(task="t"), CALLS)
    assert list(found) == keys
    assert sum(sums.calls for sums in found.values()) == 3


def test_without_a_task_and_without_a_call():
    assert list(sums_by("task", recording(), CALLS)) == ["-"]
    assert list(sums_by("model", recording(), [])) == []
    assert list(sums_by("recording", recording(), [])) == ["x.jsonl"]


def test_order():
    groups = {
        "b": added(cost()), "a": added(cost()), "dear": added(cost(usd=Decimal(9))),
        "many": added(cost(usage=USAGE | {"input_tokens": 999})), "unpriced": added(cost(**UNPRICED)),
    }  # fmt: skip
    assert [name for name, _ in in_order("model", groups)] == ["dear", "many", "a", "b", "unpriced"]
    assert [name for name, _ in in_order("day", groups)] == sorted(groups)
    assert [name for name, _ in in_order("call", groups)] == list(groups)


kinds = st.sampled_from([
    cost(), cost(failed=True), cost(retry=True, **NOTHING), cost(**UNPRICED), cost(model="n", exceeds_input=True),
])  # fmt: skip


@settings(max_examples=50)
@given(st.lists(st.lists(kinds, max_size=4), max_size=4))
def test_sums_of_sums_are_the_sums_of_all(files):
    every = [replace(one, on=(Decimal(2), None)) for calls in files for one in calls]
    groups = {}
    for calls in files:
        merge(groups, sums_by("model", recording(), [replace(one, on=(Decimal(2), None)) for one in calls]))
    assert groups == sums_by("model", recording(), every)
    assert whole(groups) == added(*every)


def test_a_recording_without_calls_beside_what_ifs():
    groups = sums_by("recording", recording(path="a"), [replace(ONE, on=(Decimal(2),))])
    merge(groups, sums_by("recording", recording(path="b"), []))
    assert whole(groups).on[0].usd == whole(dict(reversed(groups.items()))).on[0].usd == 2


amounts = st.none() | st.decimals(0, 10**15, places=20) | st.decimals(0, 1, places=6)
calls = st.builds(
    lambda usd, model, failed, retry, day: cost(
        usd=usd, uncached_usd=usd, model=model, failed=failed, retry=retry, at=day and AT.replace(day=day), on=(usd,)
    ),
    amounts, st.sampled_from("mn"), st.booleans(), st.booleans(), st.none() | st.integers(1, 3),
)  # fmt: skip


@settings(max_examples=50)
@given(st.lists(st.lists(calls, max_size=5), max_size=4))
def test_groups_add_up_to_the_total_exactly_whatever_they_are(files):
    every = [one for file in files for one in file]
    expected = sum(Fraction(one.usd) for one in every if one.usd is not None)
    for group in GROUPS:
        groups = {}
        for number, file in enumerate(files):
            merge(groups, sums_by(group, recording(path=f"{number}.jsonl", task=str(number % 2)), file))
        total = whole(groups)
        for of in (lambda sums: sums.cost.usd, lambda sums: sums.uncached):
            assert sum(Fraction(of(sums)) for sums in groups.values()) == Fraction(of(total)) == expected
        for of in (lambda sums: sums.failed.usd, lambda sums: sums.retries.usd):
            assert sum(Fraction(of(sums)) for sums in groups.values()) == Fraction(of(total))
        assert sum(Fraction(sums.on[0].usd) for sums in groups.values() if sums.on) == expected
        assert total.cost.unpriced == sum(one.usd is None for one in every)
