from __future__ import annotations

import re

import pytest

from agent.providers.base import Target
from agent.providers.call_ids import accepted_id, is_mistral

MISTRAL = Target("mistral", "openai-chat", "https://api.mistral.ai/v1")
OPENAI = Target("openai", "openai-chat", "https://api.openai.com/v1")
RESPONSES = Target("openai-responses", "openai-responses", "https://api.openai.com/v1")
LOCAL = Target("local", "openai-chat", "http://127.0.0.1:8080/v1")
LONG = "toolu_" + "x" * 90


@pytest.mark.parametrize(
    ("target", "id"),
    [
        (MISTRAL, "aB3xK9mP2"), (OPENAI, "call_" + "a" * 35), (OPENAI, "a/b c"), (RESPONSES, "c" * 64), (LOCAL, LONG),
        (LOCAL, ""),
    ],
)  # fmt: skip
def test_an_id_that_is_taken_stays(target: Target, id: str) -> None:
    assert accepted_id(id, target) == id


@pytest.mark.parametrize(
    ("target", "taken"),
    [(MISTRAL, r"[a-zA-Z0-9]{9}"), (OPENAI, r"[a-zA-Z0-9_-]{1,40}"), (RESPONSES, r"[a-zA-Z0-9_-]{1,64}")],
)
def test_any_other_becomes_one_that_is_taken(target: Target, taken: str) -> None:
    ids = [LONG, LONG + "y", "\ud800" * 70]
    made = [accepted_id(id, target) for id in ids]
    assert all(re.fullmatch(taken, id) for id in made)
    assert len(set(made)) == len(ids)
    assert made == [accepted_id(id, target) for id in ids]


@pytest.mark.parametrize("id", ["", "call_0_1", "abcdefgh", "abcdefghi\n", "äbcdefghi", "toolu_019"])
def test_what_mistral_refuses(id: str) -> None:
    assert re.fullmatch("[a-zA-Z0-9]{9}", accepted_id(id, MISTRAL))


def test_mistral_by_way_of_a_proxy() -> None:
    assert is_mistral(Target("mistral", "openai-chat", "http://127.0.0.1:8123/mistral/v1"))
    assert is_mistral(Target("any", "openai-chat", "https://api.mistral.ai/v1"))
    assert not is_mistral(OPENAI)
