"""What pydantic finds wrong with a TOML table, in the words of its file: the key as it is written, and the problem."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

Place = tuple[int | str, ...]


def first_problem(error: ValidationError, model: type[BaseModel]) -> tuple[Place, str]:
    """Where the first wrong key stands, and what is wrong with it.

    An unknown key counts first, as a misspelt one is missing too.
    """
    wrong = error.errors(include_url=False, include_context=False)
    first = next((one for one in wrong if one["type"] == "extra_forbidden"), wrong[0])
    return first["loc"], _problem(first["loc"], first["type"], first["msg"], model)


def key_text(place: Sequence[int | str], start: str = "") -> str:
    """The key as it is written: `redact[0].pattern`. `[key]` marks that the name itself is wrong."""
    key = start
    for part in place:
        if isinstance(part, int):
            key += f"[{part}]"
        elif part != "[key]":
            key += f".{part}" if re.fullmatch(r"[A-Za-z0-9_-]+", part) else f'."{part}"'
    return key.removeprefix(".")


def nearest(name: str, known: Iterable[str]) -> str:
    """What was meant perhaps, else all that there is."""
    names = [*known]
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    return f"did you mean {near[0]}" if near else f"known are {', '.join(names) or 'none'}"


_SAID = {
    "bool_type": "should be true or false",
    "dict_type": "should be a table",
    "int_type": "should be a whole number",
    "list_type": "should be a list",
    "model_type": "should be a table",
    "string_too_short": "should not be empty",
    "string_type": "should be a string",
    "too_short": "should not be empty",
}
"""What pydantic says of types, in the words of TOML. No model asks for a length of more than one."""


def _problem(place: Place, kind: str, message: str, model: type[BaseModel]) -> str:
    if kind == "extra_forbidden":
        return f"unknown key; {nearest(str(place[-1]), _keys_at(model, place[:-1]))}"
    if kind == "missing":
        return "is missing"
    said = _SAID.get(kind) or message.removeprefix("Value error, ").removeprefix("Input ")
    return said[:1].lower() + said[1:]


def _keys_at(model: type[BaseModel], place: Place) -> list[str]:
    """The keys of the table at `place`; steps that are no fields are keys of a mapping, or name a part of a union."""
    tables = [model]
    for part in place:
        fields = [table.model_fields[part].annotation for table in tables if part in table.model_fields]
        tables = [found for field in fields for found in _models(field)] if fields else tables
    return list(dict.fromkeys(name for table in tables for name in table.model_fields))


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models(part)]
