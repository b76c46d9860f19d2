"""Judges a text by a JSON Schema. Needs jsonschema, the extra `schema`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from agent.jsonio import NotJSON, loads_exact
from harness.differences import shorten
from harness.errors import CheckError


def schema_problem(schema: str | dict[str, Any], text: str, folder: Path) -> str | None:
    """What is wrong with `text` by the schema, or by the one in the file of that name in `folder`; None for nothing.

    A schema without `$schema` is read as draft 2020-12. A `$ref` is never fetched: one that leads out of the schema is
    an error. Raises `CheckError` for a schema that cannot be used, and where jsonschema is not installed.
    """
    try:
        validators: Any = import_module("jsonschema.validators")
        referencing: Any = import_module("referencing")
    except ImportError:
        raise CheckError("json_schema needs jsonschema: pip install 'trajectory-harness[schema]'") from None
    where = f"{schema}: " if isinstance(schema, str) else ""
    rules = _read(folder / schema) if isinstance(schema, str) else schema
    kind = validators.validator_for(rules, default=validators.Draft202012Validator)
    try:
        kind.check_schema(rules)
    except Exception as error:
        raise CheckError(f"{where}it is no JSON Schema: {_first_line(error)}") from None
    try:
        value = loads_exact(text.encode("utf-8", "replace"))
    except NotJSON as error:
        return f"it is not JSON: {error}: {shorten(text)}"
    try:
        errors = sorted(
            kind(rules, registry=referencing.Registry()).iter_errors(value), key=lambda item: item.json_path
        )
    except RecursionError:
        raise CheckError(f"{where}it is nested too deeply to be judged") from None
    except Exception as error:
        raise CheckError(f"{where}the schema cannot be used: {_first_line(error)}") from None
    if not errors:
        return None
    more = f" and {len(errors) - 1} more" if len(errors) > 1 else ""
    return f"{errors[0].json_path}: {_cut(errors[0].message)}{more}"


def _cut(text: str, limit: int = 160) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _first_line(error: Exception) -> str:
    return _cut(str(error).splitlines()[0] if str(error) else type(error).__name__)


def _read(path: Path) -> Any:
    try:
        return loads_exact(path.read_bytes())
    except OSError as error:
        raise CheckError(f"{path}: cannot read the schema: {error.strerror or error}") from None
    except NotJSON as error:
        raise CheckError(f"{path}: it is no JSON: {error}") from None
