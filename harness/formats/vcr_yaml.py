"""The YAML of cassettes, read without making any object of Python but plain values. It needs pyyaml."""

from __future__ import annotations

from typing import Any

import yaml

_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_PYTHON = "tag:yaml.org,2002:python/"


class _Loader(_SafeLoader):  # type: ignore[misc]
    """A safe loader that knows the few tags which vcrpy writes for bodies: text, tuples, and file-like bodies."""


def _scalar(loader: Any, node: Any) -> Any:
    return loader.construct_scalar(node)


def _sequence(loader: Any, node: Any) -> Any:
    return loader.construct_sequence(node, deep=True)


def _buffer(loader: Any, node: Any) -> Any:
    """`io.BytesIO`: its state begins with its content."""
    state = loader.construct_mapping(node, deep=True).get("state") or (b"",)
    return state[0]


def _iterator(loader: Any, node: Any) -> Any:
    """`iter` of a list: the list."""
    arguments: Any = loader.construct_mapping(node, deep=True).get("args")
    return arguments[0] if arguments else []


for _name, _construct in {
    "str": _scalar,
    "unicode": _scalar,
    "tuple": _sequence,
    "object/new:_io.BytesIO": _buffer,
    "object/apply:builtins.iter": _iterator,
}.items():
    _Loader.add_constructor(_PYTHON + _name, _construct)


def load(data: bytes) -> Any:
    """The value of a document. Raises `yaml.YAMLError`, for a tag that is not known among others."""
    return yaml.load(data, Loader=_Loader)
