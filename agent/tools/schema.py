"""Checks a call's arguments against the tool's own JSON Schema: the few keywords that the tools use.

Known keywords: `type` (string, integer, number, boolean), `required`, `properties`, `minimum`, `maximum`,
`minLength`, `maxLength`, `default`. Numbers follow JSON Schema 2020-12: 2.0 is an integer, true is no number.
"""

from __future__ import annotations

from typing import Any

from agent.tools.tool import ToolError

_ARTICLES = {"string": "a string", "integer": "an integer", "number": "a number", "boolean": "true or false"}


def check(parameters: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments with defaults filled in. An optional argument that is null counts as left out.

    Raises `ToolError` that names every argument at fault.
    """
    fields: dict[str, dict[str, Any]] = parameters["properties"]
    takes = ", ".join(fields) or "none"
    faults = [f"unknown argument {name!r} (known: {takes})" for name in arguments if name not in fields]
    checked: dict[str, Any] = {}
    for name, field in fields.items():
        value = arguments.get(name)
        if value is None and name in parameters["required"]:
            faults.append(f"argument {name!r} is missing" if name not in arguments else _wrong(name, field, value))
        elif value is None:
            checked[name] = field.get("default")
        else:
            fault = _fault(name, field, value)
            if fault:
                faults.append(fault)
            else:
                checked[name] = int(value) if field["type"] == "integer" else value
    if faults:
        raise ToolError("; ".join(faults))
    return checked


def _wrong(name: str, field: dict[str, Any], value: Any) -> str:
    return f"argument {name!r} must be {_ARTICLES[field['type']]}, not {_name(value)}"


def _fault(name: str, field: dict[str, Any], value: Any) -> str | None:
    kind = field["type"]
    if kind == "string":
        if not isinstance(value, str):
            return _wrong(name, field, value)
        return _text_fault(name, field, value)
    if kind == "boolean":
        return None if isinstance(value, bool) else _wrong(name, field, value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _wrong(name, field, value)
    if kind == "integer" and isinstance(value, float) and not value.is_integer():
        return _wrong(name, field, value)
    if value < field.get("minimum", value) or value > field.get("maximum", value) or value != value:
        bounds = [
            f"{word} {field[key]}" for key, word in (("minimum", "at least"), ("maximum", "at most")) if key in field
        ]
        return f"argument {name!r} must be {' and '.join(bounds)}, not {value}"
    return None


def _text_fault(name: str, field: dict[str, Any], value: str) -> str | None:
    if len(value) < field.get("minLength", 0):
        return f"argument {name!r} is empty"
    longest = field.get("maxLength")
    if longest is not None and len(value) > longest:
        return f"argument {name!r} has {len(value)} characters; the most is {longest}"
    try:
        value.encode()
    except UnicodeEncodeError:
        return f"argument {name!r} holds a lone surrogate, which is no text"
    return None


def _name(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, int | float):
        return f"the number {value}" if len(repr(value)) < 30 else "that number"
    return "an array" if isinstance(value, list) else "an object"
