"""The texts in a frame, each with its place, and a frame written anew with changed texts. Pure.

Texts of adjacent frames at the same place belong together: that is how a streamed answer, one choice of it, one tool
call's arguments come. A place is the path in the JSON payload, without positions in lists of objects, but with the
fields by which providers tell parallel parts apart.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from agent.jsonio import NotJSON, dumps, loads_exact
from agent.sse import DONE, Frame
from harness.redaction.cut_json import CutJSON, closed

PARTS = (
    "index", "choice_index", "output_index", "content_index", "summary_index", "part_index", "block_index", "thought",
    "jsonPath",
)  # fmt: skip
"""Fields of an object that say which part it belongs to. Zero and false are the same as none."""

SAME = {
    "content_block": "delta",
    "message": "delta",
    "reasoning_content": "reasoning",
    "reasoning_details": "reasoning",
}
"""Names of one place: the text with which a block begins, and what is added to it; names of reasoning."""

STREAMED = frozenset({
    "arguments", "code", "content", "data", "delta", "input", "partial_json", "reasoning", "refusal", "response",
    "stringValue", "text", "thinking", "token", "transcript",
})  # fmt: skip
"""Last names of places whose texts come piece by piece, perhaps with frames of other parts in between."""

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_BOM = b"\xef\xbb\xbf"
_HOLDERS = frozenset({str, dict, list})
_TELLING = frozenset({*PARTS, "delta"})
_JSON_STARTS = (b"{", b"[", b'"')


@dataclass(slots=True)
class Text:
    """A text of a frame. `streamed`: more of it may come at its place. Written back by `set`."""

    place: str
    streamed: bool
    data: bytes
    _box: Any
    _key: Any

    def set(self, data: bytes) -> None:
        self.data = data
        self._box[self._key] = data.decode("utf-8", "surrogatepass")


class FrameTexts:
    """The texts of one frame: strings of its JSON payload, in document order; its data where that is no JSON.

    Of a frame that the stream ended in, those that came.
    """

    def __init__(self, frame: Frame) -> None:
        self._lines: list[bytes] = _LINE.findall(frame.raw)
        self._name = b"data" if any(_is_field(line, b"data") for line in self._lines) else b"error"
        self._box: list[Any] = [None]
        self._cut: CutJSON | None = None
        self.is_json = False
        self.texts: list[Text] = []
        data = frame.data
        if data is None and frame.unterminated:
            data = b"\n".join(_value(line) for line in self._lines if _is_field(line, b"data"))
            self._cut = closed(data)
            data = data if self._cut is None else self._cut.whole
        if not data:
            return
        if data.lstrip()[:1] in _JSON_STARTS and data != DONE:  # which would take long to refuse
            try:
                self._box[0] = loads_exact(data)
                self.is_json = True
            except NotJSON:
                self._cut = None
        self.texts = [*texts_of(self._box)] if self.is_json else [_Plain("", True, data, self._box, 0)]

    def change_lines(self, change: Callable[[bytes], bytes]) -> bool:
        """Apply `change` to what lines other than data say; whether one is another now."""
        before = self._lines
        self._lines = []
        for line in before:
            text = line.rstrip(b"\r\n")
            self._lines.append(line if _is_field(line, self._name) else change(text) + line[len(text) :])
        return self._lines != before

    def change_names(self, change: Callable[[bytes], bytes]) -> bool:
        """Apply `change` to every name of a member; whether one is another now."""
        changed = self.is_json and _change_names(self._box, change)
        if changed:
            self.texts = [*texts_of(self._box)]
        return changed

    def raw(self) -> bytes:
        """The frame's bytes with the texts as they are now: its other lines stay, its data becomes one line."""
        value = self._box[0]
        data = written(value) if self.is_json else value
        if self._cut is not None:
            data = self._cut.cut(data)
        if self._name == b"error" and self.is_json:
            data = written(value["error"])  # llama.cpp's field of that name, see `agent.sse`
        parts = []
        done = False
        for line in self._lines:
            if data is None or not _is_field(line, self._name):
                parts.append(line)
            elif not done:
                end = line[len(line.rstrip(b"\r\n")) :]
                parts.append(_BOM if line.startswith(_BOM) else b"")
                parts += [b"\n".join(self._name + b": " + part for part in data.split(b"\n")), end]
                done = True
        return b"".join(parts)


class _Plain(Text):
    """Data that is no JSON."""

    def set(self, data: bytes) -> None:
        self.data = data
        self._box[self._key] = data


def texts_of(box: list[Any]) -> Iterator[Text]:
    """The strings of the JSON value in a box, in document order, at any depth."""
    stack: list[tuple[Any, Any, str, str]] = [(box, 0, "", "")]
    while stack:
        holder, key, path, name = stack.pop()
        value = holder[key]
        kind = type(value)
        if kind is str:
            yield Text(path, name in STREAMED, value.encode("utf-8", "surrogatepass"), holder, key)
        elif kind is dict:
            path += _part(value)
            members = reversed(value.items())
            stack += [(value, inner, *_step(path, inner)) for inner, item in members if type(item) in _HOLDERS]
        elif kind is list:
            for index in range(len(value) - 1, -1, -1):
                of_objects = type(value[index]) is dict
                stack.append((value, index, path if of_objects else f"{path}[{index}]", name))


def _step(path: str, name: str) -> tuple[str, str]:
    same = SAME.get(name, name)
    if name == "text" and path.endswith((".content", ".reasoning")):
        return path, "text"  # content and reasoning may also come as parts with a text
    return f"{path}.{same}", same


def _part(value: dict[str, Any]) -> str:
    """What tells an object from its parallels."""
    if _TELLING.isdisjoint(value):
        return ""
    part = ""
    for name in PARTS:
        index = value.get(name)
        if index and type(index) in (int, bool, str):
            part += f"[{name}={index}]"
    if type(value.get("delta")) is str:
        part += f"[{value.get('type')}]"
    return part


def _change_names(box: list[Any], change: Callable[[bytes], bytes]) -> bool:
    changed = False
    waiting: list[Any] = [box]
    while waiting:
        value = waiting.pop()
        if type(value) is dict:
            names = [change(name.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass") for name in value]
            if names != [*value]:
                changed = True
                members = [*value.values()]
                value.clear()
                value.update(zip(names, members, strict=True))
        waiting += [item for item in (value.values() if type(value) is dict else value) if type(item) in (dict, list)]
    return changed


def _value(line: bytes) -> bytes:
    return line.rstrip(b"\r\n").partition(b":")[2].removeprefix(b" ")


def _is_field(line: bytes, name: bytes) -> bool:
    return line.removeprefix(_BOM).rstrip(b"\r\n").partition(b":")[0] == name


def written(value: Any) -> bytes:
    """Compact JSON; halves of surrogate pairs, whose other halves are in the next frame, stay as escapes."""
    try:
        return orjson.dumps(value)
    except TypeError:
        pass
    try:
        return json.dumps(value, separators=(",", ":")).encode()
    except (RecursionError, ValueError):
        return dumps(value)
