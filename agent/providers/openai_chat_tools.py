"""Puts the tool calls of a chat stream together from their fragments.

A fragment is one entry of `delta.tool_calls`, or a legacy `delta.function_call`. Only `arguments` is documented as
text to be concatenated (OpenAI API reference, chat completion chunk object); servers differ in all else: they leave
`index` out or always send 0, repeat id and name, send arguments as an object, or send no id at all.
"""

from __future__ import annotations

from typing import Any

from agent.jsonio import dumps
from agent.providers.base import parse_arguments

_NOTHING = ("", "null")
"""Ids and names that carry nothing; old Mistral models write "null"."""


class Call:
    """A tool call that is still growing. `arguments` is text, or the object that was sent in its place."""

    __slots__ = ("begun", "extra", "id", "index", "name", "object", "pieces")

    def __init__(self, index: int | None) -> None:
        self.index = index
        self.id = ""
        self.name = ""
        self.pieces: list[str] = []
        self.object: Any = None
        self.begun = False  # arguments have begun to come
        self.extra: Any = None

    @property
    def arguments(self) -> Any:
        return "".join(self.pieces) if self.object is None else self.object

    @property
    def whole(self) -> bool:
        """Whether the arguments so far are a whole object."""
        if self.object is not None:
            return True
        ending = next((piece.rstrip() for piece in reversed(self.pieces) if piece.strip()), "")
        return ending.endswith("}") and not parse_arguments("".join(self.pieces))[1]

    def add_name(self, name: str) -> None:
        """A name equal to the name so far is a repeat; anything else is another piece of it."""
        if name != self.name:
            self.name += name

    def add_arguments(self, value: Any) -> None:
        """Text is appended; an object stands for its text, the same one again is a repeat, `{}` before text a blank."""
        if isinstance(value, str):
            if self.object is not None and value.strip():
                self.pieces = [dumps(self.object).decode()] if self.object != {} else []
                self.object = None
            self.pieces.append(value)
            self.begun = self.begun or bool(value.strip())
        elif value is not None and not self.begun:
            self.object, self.begun = value, True
        elif value is not None:
            text = dumps(value).decode()
            if self.object is None or text != dumps(self.object).decode():
                self.add_arguments(text)


class ToolCalls:
    """The open calls of one response."""

    __slots__ = ("_by_id", "_calls", "_last", "_open")

    def __init__(self) -> None:
        self._calls: list[Call] = []
        self._by_id: dict[tuple[int | None, str], Call] = {}
        self._open: dict[int, Call] = {}
        self._last: Call | None = None

    def append(self, fragment: Any) -> bool:
        """Take the common fragment: more text for the open call at its index. False: it is another, for `add`."""
        if type(fragment) is not dict or fragment.get("id") or fragment.get("extra_content"):
            return False
        index, function = fragment.get("index"), fragment.get("function")
        if type(index) is not int or type(function) is not dict or function.get("name"):
            return False
        call, text = self._open.get(index), function.get("arguments")
        if call is None or call.object is not None or type(text) is not str:
            return False
        call.pieces.append(text)
        call.begun = call.begun or bool(text.strip())
        self._last = call
        return True

    def add(self, fragment: Any) -> None:
        """Take any fragment; what is no object, or carries nothing, is passed over."""
        if not isinstance(fragment, dict):
            return
        inner = (fragment.get("function"), fragment.get("custom"))
        source = next((value for value in inner if isinstance(value, dict)), fragment)
        index, id = _index(fragment.get("index")), _word(fragment.get("id"))
        name = _word(source.get("name"))
        arguments = source.get("arguments", source.get("input"))
        call = self._find(index, id, name, arguments)
        if call is None:
            if not id and not name and _blank(arguments):
                return
            call = Call(index)
            self._calls.append(call)
        if id and not call.id:
            call.id = id
            self._by_id[index, id] = self._by_id[None, id] = call
        if index is not None:
            self._open[index] = call
        self._last = call
        call.add_name(name)
        call.add_arguments(arguments)
        call.extra = fragment.get("extra_content") or call.extra

    def calls(self) -> list[Call]:
        """All calls with a name or arguments, in the order of their indexes where every call has one."""
        calls = [call for call in self._calls if call.name or call.begun]
        if all(call.index is not None for call in calls):
            calls.sort(key=lambda call: call.index or 0)
        return calls

    def _find(self, index: int | None, id: str, name: str, arguments: Any) -> Call | None:
        """The call that a fragment continues; None opens another one."""
        call = self._last if index is None else self._open.get(index)
        if id:
            known = self._by_id.get((index, id))
            if known is None and call is None:
                earlier = self._by_id.get((None, id))
                known = earlier if earlier is not None and earlier.index is None else None
            if known is not None or call is None:
                return known
            late = not call.id and not (name and call.begun)
            return call if late and index is not None else None
        if call is None or not name or not call.begun:
            return call
        if index is None:
            return call if name == call.name and not call.whole else None
        if call.id or (name == call.name and (_blank(arguments) or not call.whole)):
            return call
        return None


def _index(value: Any) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        return int(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1:
        return int(value)
    return None


def _word(value: Any) -> str:
    """An id or a name; numbers are written out, everything else carries nothing."""
    if isinstance(value, str):
        return "" if value in _NOTHING else value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _blank(arguments: Any) -> bool:
    return arguments is None or (isinstance(arguments, str) and not arguments.strip())
