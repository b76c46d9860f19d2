"""Cassettes of vcrpy, pytest-recording and pytest-vcr: YAML, or JSON, of version 1.

Read are bodies as text, bytes and base64, the `parsed_body` of serializers that keep JSON readable, and the older form
of the httpx stubs (`status_code`, `content`). YAML is read safely: of the tags that name Python types only those are
known that vcrpy itself writes, and they make plain values.
"""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import Any

from agent.jsonio import NotJSON, dumps, loads_exact
from harness.errors import HarnessError
from harness.formats.exchange import Exchange, Headers

SUFFIXES = (".yaml", ".yml", ".json")
FOLDER = "cassettes"


def target(path: Path) -> Path:
    """`tests/cassettes/test_a/test_one.yaml` is `tests/recordings/test_a/test_one.jsonl`, where the pytest plugin looks
    for it; elsewhere it stays in its folder."""
    parts = list(path.parts)
    if FOLDER in parts[:-1]:
        at = len(parts) - 2 - parts[-2::-1].index(FOLDER)
        parts[at] = "recordings"
    return Path(*parts[:-1], f"{path.name.removesuffix(path.suffix)}.jsonl")


def is_one(path: Path) -> bool:
    """Whether a file that was not named by itself is a cassette."""
    try:
        return b"interactions" in path.read_bytes()
    except OSError:
        return False


def read(path: Path) -> list[Exchange]:
    """The interactions of a cassette, in order. Raises `HarnessError`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise HarnessError(f"{path}: cannot read it: {error.strerror or error}") from None
    found = _parsed(path, data)
    if isinstance(found, list) and found and isinstance(found[0], dict) and "request" in found[0]:
        raise HarnessError(f"{path}: a cassette of vcrpy before 1.0 (run `python -m vcr.migration {path}` first)")
    interactions = found.get("interactions") if isinstance(found, dict) else None
    if not isinstance(interactions, list):
        raise HarnessError(f"{path}: no cassette: it has no list of interactions")
    exchanges = []
    for number, interaction in enumerate(interactions):
        try:
            exchanges.append(_exchange(interaction))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise HarnessError(f"{path}: interaction {number} is not as vcrpy writes it: {what}") from None
    return exchanges


def _parsed(path: Path, data: bytes) -> Any:
    if data.lstrip()[:1] == b"{":
        try:
            return loads_exact(data)
        except NotJSON:
            pass  # YAML may begin so, too
    try:
        import yaml
    except ImportError:
        raise HarnessError(f"{path}: reading YAML needs pyyaml: pip install 'trajectory-harness[yaml]'") from None
    from harness.formats.vcr_yaml import load

    try:
        return load(data)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        place = str(path) if mark is None else f"{path}:{mark.line + 1}"
        what = getattr(error, "problem", None) or str(error)
        raise HarnessError(f"{place}: cannot be read as YAML: {' '.join(what.split())}") from None


def _exchange(interaction: Any) -> Exchange:
    request, response = interaction["request"], interaction["response"]
    if "status_code" in response:
        status, answer = response["status_code"], _bytes(response.get("content"))
    else:
        status, answer = response["status"]["code"], _body(response)
    return Exchange(
        str(request["method"]),
        str(request["uri"]),
        _headers(request.get("headers")),
        _body(request),
        int(status),
        _headers(response.get("headers")),
        answer,
    )


def _body(message: dict[str, Any]) -> bytes:
    if message.get("parsed_body") is not None:
        parsed = message["parsed_body"]
        return parsed.encode() if isinstance(parsed, str) else dumps(parsed)
    body = message.get("body")
    if isinstance(body, dict) and ("string" in body or "base64_string" in body):
        if body.get("base64_string") is not None:
            try:
                return base64.b64decode(body["base64_string"])
            except binascii.Error as error:
                raise ValueError(f"its base64_string: {error}") from None
        body = body["string"]
    return dumps(body) if isinstance(body, dict) else _bytes(body)


def _bytes(body: Any) -> bytes:
    if body is None:
        return b""
    if isinstance(body, list):  # the chunks of an iterator
        return b"".join(_bytes(part) for part in body)
    if isinstance(body, str):
        return body.encode("utf-8", "surrogatepass")
    if isinstance(body, bytes):
        return body
    raise TypeError(f"a body of type {type(body).__name__}")


def _headers(headers: Any) -> Headers:
    """Names and values; a name has one value, or a list of them."""
    pairs = headers.items() if isinstance(headers, dict) else headers or ()
    found = []
    for name, values in pairs:
        for value in values if isinstance(values, list | tuple) else [values]:
            found.append((_text(name), _text(value)))
    return found


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
