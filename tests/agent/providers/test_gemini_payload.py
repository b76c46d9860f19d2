from __future__ import annotations

from typing import Any

import pytest

from agent.events import Usage
from agent.providers.gemini_payload import (
    COUNTS,
    exact_parts,
    first_candidate,
    parts_of,
    queries_of,
    usage_of,
    whole_elements,
    word_of,
)


@pytest.mark.parametrize(
    ("counts", "received", "sent"),
    [
        ((100, None, 7, None, None, 107), 100, 7),
        ((100, None, 7, 50, None, 157), 100, 57),
        ((100, None, 57, 50, None, 157), 100, 57),
        ((100, 20, 7, 50, None, 177), 120, 57),
        ((100, 20, 7, None, None, 107), 100, 7),
        ((100, 20, 57, 50, None, 157), 100, 57),
        ((100, 20, 57, 50, None, 999), 120, 107),
        ((100, None, 7, 50, None, None), 100, 57),
        ((100, None, None, 30, None, 130), 100, 30),
        ((11, None, None, None, None, 11), 11, None),
        ((None, 20, 5, None, None, None), 20, 5),
        ((None, None, 5, None, None, 8), None, 5),
        ((0, None, 0, None, None, 0), 0, 0),
    ],
)
def test_totals(counts: tuple[int | None, ...], received: int | None, sent: int | None) -> None:
    usage = usage_of({name: count for name, count in zip(COUNTS, counts, strict=True) if count is not None})
    assert usage == Usage(received, sent, cache_read_tokens=counts[4], reasoning_tokens=counts[3])


def test_no_counts_are_no_usage() -> None:
    assert usage_of({}) is None


@pytest.mark.parametrize(
    ("candidates", "expected"),
    [
        ([{"a": 1}], {"a": 1}),
        ([{"index": 1}, {"index": 0, "a": 1}], {"index": 0, "a": 1}),
        ([{"index": 1}], None),
        ([{"a": 1}, {"b": 1}], {"a": 1}),
        ([None, {"b": 1}], None),
        ([{"index": None, "a": 1}], {"index": None, "a": 1}),
        ({}, None),
        (None, None),
    ],
)
def test_first_candidate(candidates: Any, expected: Any) -> None:
    assert first_candidate({"candidates": candidates}) == expected


@pytest.mark.parametrize("candidate", [{}, {"content": 1}, {"content": {}}, {"content": {"parts": {}}}])
def test_parts_of_anything(candidate: Any) -> None:
    assert parts_of(candidate) == []


def test_exact_parts() -> None:
    raw = b'{"candidates":[{"content":{"parts":[{"functionCall":{"args":{"n":12345678901234567890123}}}]}}]}'
    rounded = [{"functionCall": {"args": {"n": 1.2345678901234568e22}}}]
    assert exact_parts(raw, rounded) == [{"functionCall": {"args": {"n": 12345678901234567890123}}}]
    assert exact_parts(None, rounded) is rounded
    assert exact_parts(b"1" * 5_000, rounded) is rounded


@pytest.mark.parametrize(
    ("reason", "word"),
    [
        ("STOP", "STOP"),
        (2, "TWO"),
        (9, "9"),
        (0, None),
        ("X_REASON_UNSPECIFIED", None),
        ("", None),
        (None, None),
        (1.0, None),
    ],
)
def test_words(reason: Any, word: str | None) -> None:
    assert word_of(reason, {2: "TWO"}) == word


@pytest.mark.parametrize(
    ("text", "elements"),
    [
        ("[", []),
        ("[]", []),
        (' [1, {"a": [2]}\n,\n "x"] ', [1, {"a": [2]}, "x"]),
        ('[{"a": 1}, {"a": 2', [{"a": 1}]),
        ('[{"a": 1}, {"a": NaN}]', [{"a": 1}]),
        ("[1,,2", [1, 2]),
        ("[" * 100_000, []),
    ],
)
def test_whole_elements(text: str, elements: list[Any]) -> None:
    assert whole_elements(text) == elements


@pytest.mark.parametrize(
    ("grounding", "queries"),
    [
        ({"webSearchQueries": ["", "tea", "tea", 1, "seeds"]}, ["tea", "tea", "seeds"]),
        ({"webSearchQueries": "tea"}, []),
        ({}, []),
        (None, []),
    ],
)
def test_searches_that_an_answer_rests_on(grounding, queries):
    assert queries_of({"groundingMetadata": grounding}) == queries
