from __future__ import annotations

from typing import Any

import pytest

from agent.providers.gemini_call import OpenCall


def made(*pieces: Any, **call: Any) -> OpenCall:
    opened = OpenCall()
    opened.add({"name": "f", "willContinue": True, **call})
    for piece in pieces:
        opened.add({"partialArgs": [piece], "willContinue": True})
    return opened


def number(path: str, value: Any = 1) -> dict[str, Any]:
    return {"jsonPath": path, "numberValue": value}


def text(path: str, value: str, *, more: bool = False) -> dict[str, Any]:
    return {"jsonPath": path, "stringValue": value} | ({"willContinue": True} if more else {})


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("$.a", {"a": 1}),
        ("$.a.b", {"a": {"b": 1}}),
        ("$.a[0]", {"a": [1]}),
        ("$.a[0][0].b", {"a": [[{"b": 1}]]}),
        ("$['a.b']", {"a.b": 1}),
        ('$["a\'b"].c', {"a'b": {"c": 1}}),
        ("$['a\\'b']", {"a'b": 1}),
        ('$["\\u00e9\\n\\\\"]', {"é\n\\": 1}),
        ('$["\\ud83e\\udd8a"]', {"🦊": 1}),
        ("$[ 'a' ][ 0 ]", {"a": [1]}),
        ("$.naïve-key", {"naïve-key": 1}),
    ],
)
def test_paths(path: str, expected: dict[str, Any]) -> None:
    call = made(number(path))
    assert call.settled
    assert call.arguments(whole=True) == expected


@pytest.mark.parametrize(
    "path",
    [
        "", "$", "a", "a.b", "$.", "$..a", "$a", "$.a[", "$.a[1]", "$.a[999999999]", "$.a[99999999999]", "$[0]",
        "$.a[-1]", "$.a[*]", "$.*[", "$['a]", "$" + ".a" * 65,
    ],
)  # fmt: skip
def test_paths_that_name_no_place(path: str) -> None:
    call = made(number(path))
    assert not call.settled
    assert isinstance(call.arguments(whole=True), str)


@pytest.mark.parametrize(
    ("piece", "value"),
    [
        ({"stringValue": ""}, ""),
        ({"numberValue": 0}, 0),
        ({"numberValue": 0.5}, 0.5),
        ({"boolValue": False}, False),
        ({"nullValue": "NULL_VALUE"}, None),
        ({"nullValue": 0}, None),
    ],
)
def test_values(piece: dict[str, Any], value: Any) -> None:
    assert made({"jsonPath": "$.a", **piece}).arguments(whole=True) == {"a": value}


@pytest.mark.parametrize(
    "piece",
    [
        {}, 3, None, {"jsonPath": "$.a"}, {"jsonPath": 4, "numberValue": 1}, number("$.a", "1"), number("$.a", True),
        {"jsonPath": "$.a", "boolValue": 1}, {"stringValue": "x"},
    ],
)  # fmt: skip
def test_pieces_without_a_value_or_a_place(piece: Any) -> None:
    assert not made(piece).settled


def test_a_string_comes_in_pieces_beside_others() -> None:
    call = made(
        text("$.a", "one ", more=True), text("$.b", "x", more=True), text("$.a", "two", more=True), text("$.b", "")
    )
    assert not call.settled
    call.add({"partialArgs": [{"jsonPath": "$.a", "willContinue": True}]})
    call.add({"partialArgs": [text("$.a", " three")]})
    assert call.settled
    assert call.arguments(whole=True) == {"a": "one two three", "b": "x"}


def test_a_closed_string_is_set_anew() -> None:
    assert made(text("$.a", "one"), text("$.a", "two")).arguments(whole=True) == {"a": "two"}


def test_surrogate_halves_join_over_pieces() -> None:
    call = made(text("$.a", "\ud83e", more=True), text("$.a", "\udd8a"), text("$.b", "\ud83e"))
    assert call.arguments(whole=True) == {"a": "🦊", "b": "�"}


def test_whole_arguments_replace_the_pieces() -> None:
    call = made(text("$.a", "ha", more=True), number("$.n", 1))
    call.add({"args": {"a": "half"}})
    assert call.arguments(whole=True) == {"a": "half", "n": 1}


def test_values_do_not_change_their_kind() -> None:
    assert not made(number("$.a"), number("$.a.b")).settled
    assert not made(number("$.a[0]"), number("$.a.b")).settled
    assert not made(number("$.a.b"), number("$.a[0]")).settled


def test_nothing_sent_is_none() -> None:
    assert made().arguments(whole=True) is None
    assert made(args={}).arguments(whole=True) == {}


@pytest.mark.parametrize("wrong", [{"args": [1]}, {"args": "x"}, {"partialArgs": {"a": 1}}])
def test_arguments_of_a_wrong_type(wrong: dict[str, Any]) -> None:
    call = made(**wrong)
    assert not call.settled
    assert call.arguments(whole=True) == "{"


def test_open_arguments_are_text_that_does_not_parse() -> None:
    assert made(number("$.a"), text("$.b", "x", more=True)).arguments(whole=False) == '{"a":1,"b":"x"'
