from __future__ import annotations

from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from harness.model_errors import first_problem, key_text, nearest


class Leaf(BaseModel):
    model_config = ConfigDict(extra="forbid")
    kind: Literal["leaf"] = "leaf"
    colour: str = ""


class Twig(BaseModel):
    model_config = ConfigDict(extra="forbid")
    kind: Literal["twig"]
    length: int


class Tree(BaseModel):
    model_config = ConfigDict(extra="forbid")
    leaves: list[Leaf] = []
    by_name: dict[str, Leaf] = {}
    parts: list[Annotated[Leaf | Twig, Field(discriminator="kind")]] = []
    best: Leaf | None = None
    height: int


@pytest.mark.parametrize(
    ("table", "key", "problem"),
    [
        ({}, "height", "is missing"),
        ({"hight": 3}, "hight", "unknown key; did you mean height"),
        ({"height": 1, "x": 2}, "x", "unknown key; known are leaves, by_name, parts, best, height"),
        ({"height": "tall"}, "height", "should be a valid integer, unable to parse string as an integer"),
        ({"leaves": [{}, {"color": "red"}]}, "leaves[1].color", "unknown key; did you mean colour"),
        ({"by_name": {"a b": {"color": "red"}}}, 'by_name."a b".color', "unknown key; did you mean colour"),
        ({"best": {"color": "red"}}, "best.color", "unknown key; did you mean colour"),
        ({"parts": [{"kind": "leaf", "color": ""}]}, "parts[0].leaf.color", "unknown key; did you mean colour"),
    ],
)
def test_the_first_problem(table, key, problem):
    with pytest.raises(ValidationError) as caught:
        Tree.model_validate(table)
    place, found = first_problem(caught.value, Tree)
    assert (key_text(place), found) == (key, problem)


def test_keys_may_have_a_start():
    assert key_text(("a", 0, "b.c", "[key]"), "tool.x") == 'tool.x.a[0]."b.c"'


def test_the_nearest_name():
    assert nearest("mdoe", ["mode", "model"]) == "did you mean mode"
    assert nearest("zzz", []) == "known are none"
