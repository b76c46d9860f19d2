"""Output items of one Responses answer while it streams: which event, and which terminal item, belongs to which.

Items are keyed by `output_index`: Copilot changes item ids from event to event. llama.cpp sends no index, and no id
for a call, but names calls by `call_id` later; so ids and call ids are keys too.
"""

from __future__ import annotations

from typing import Any

from agent.events import ToolCall
from agent.providers.openai_responses_items import CALLS, blank, call_extras, item_arguments


class Slot:
    """What is known of one output item, and what of it was handed over.

    `first`, `deltas`, `final`: arguments from `output_item.added`, from deltas, from `.done` events or finished items.
    `streamed`: a delta gave text. `shown`: the parts whose text a `.done` event gave. `closed`: the finished item was
    read. `emitted`: the call or opaque item went out. `blank`: the call that went out without arguments.
    """

    __slots__ = (
        "announced", "blank", "call_id", "closed", "deltas", "emitted", "extras", "final", "first", "id", "index",
        "kind", "name", "shown", "streamed",
    )  # fmt: skip

    def __init__(self, index: int | None, kind: str | None) -> None:
        self.index = index
        self.kind = kind
        self.id: str | None = None
        self.call_id: str | None = None
        self.name = ""
        self.extras: dict[str, Any] | None = None
        self.first: Any = None
        self.deltas: list[str] = []
        self.final: Any = None
        self.shown: set[tuple[str, int | None]] = set()
        self.streamed = False
        self.announced = False
        self.closed = False
        self.emitted = False
        self.blank: ToolCall | None = None

    @property
    def arguments(self) -> Any:
        """The arguments so far, text or object: final ones replace the deltas, these replace those of the start."""
        if not blank(self.final):
            return self.final
        return "".join(self.deltas) or self.first

    def is_named(self, item: dict[str, Any]) -> bool:
        """Whether an item bears this one's id or call id."""
        return (self.id is not None and item.get("id") == self.id) or (
            self.call_id is not None and item.get("call_id") == self.call_id
        )

    def is_same(self, item: dict[str, Any]) -> bool:
        """Whether an item may be this one, whatever its id says: same type, no other call."""
        if self.kind is not None and self.kind != item.get("type"):
            return False
        call_id = item.get("call_id")
        known = self.kind in CALLS and self.call_id is not None and isinstance(call_id, str) and call_id != ""
        return not known or call_id == self.call_id


class Slots:
    """The items of one answer, in the order in which they were met."""

    __slots__ = ("_by_index", "_by_name", "all")

    def __init__(self) -> None:
        self.all: list[Slot] = []
        self._by_index: dict[int, Slot] = {}
        self._by_name: dict[str, Slot] = {}

    def of_event(self, payload: dict[str, Any], kind: str) -> Slot:
        """The item that an event is about. One that was not announced is opened as `kind`."""
        index, name = payload.get("output_index"), payload.get("item_id")
        named = self._by_name.get(name) if isinstance(name, str) else None
        if type(index) is int:
            if named is not None and self._fits(named, index):
                return named
            return self._by_index.get(index) or self._open(index, kind, name)
        if named is not None:
            return named
        last = self.all[-1] if self.all else None
        if last is not None and last.kind == kind and not last.closed and (last.id is None or not name):
            return last
        return self._open(None, kind, name)

    def announce(self, payload: dict[str, Any], item: dict[str, Any]) -> Slot:
        """The item that `output_item.added` opens; deltas that came before it may have opened it."""
        found = self._find(payload.get("output_index"), item)
        if found is None or (not found.is_named(item) and (found.announced or found.closed)):
            found = self._open(payload.get("output_index"), None, None)
        self._learn(found, item)
        found.announced = True
        arguments = item_arguments(item)
        found.first = found.first if blank(arguments) else arguments
        return found

    def of_item(self, payload: dict[str, Any], item: dict[str, Any]) -> Slot:
        """The item that `output_item.done` finishes."""
        found = self._find(payload.get("output_index"), item)
        return self._finished(found or self._open(payload.get("output_index"), None, None), item)

    def of_output(self, output: list[dict[str, Any]]) -> list[Slot]:
        """The slots of the terminal `output`: by id, then by call id, then by position; a slot is taken once."""
        found: list[Slot | None] = [None] * len(output)
        taken: set[int] = set()

        def take(at: int, slot: Slot | None) -> None:
            if slot is not None and found[at] is None and id(slot) not in taken:
                found[at] = slot
                taken.add(id(slot))

        for key in ("id", "call_id"):
            for at, item in enumerate(output):
                name = item.get(key)
                named = self._by_name.get(name) if isinstance(name, str) else None
                take(at, named if named is not None and named.is_same(item) else None)
        for at, item in enumerate(output):
            placed = self._by_index.get(at)
            take(at, placed if placed is not None and placed.is_same(item) else None)
        for at, item in enumerate(output):
            free = (slot for slot in self.all if id(slot) not in taken and slot.is_same(item))
            take(at, next(free, None) if found[at] is None else None)
        return [
            self._finished(slot or self._open(None, None, None), item) for slot, item in zip(found, output, strict=True)
        ]

    def _finished(self, slot: Slot, item: dict[str, Any]) -> Slot:
        self._learn(slot, item)
        arguments = item_arguments(item)
        if not blank(arguments):
            slot.final = arguments
        return slot

    def _fits(self, slot: Slot, index: int) -> bool:
        """Whether a slot found by name is the one at an index; servers that reuse an id are told apart by the index."""
        if slot.index is None and index not in self._by_index:
            slot.index = index
            self._by_index[index] = slot
        return slot.index == index

    def _find(self, index: Any, item: dict[str, Any]) -> Slot | None:
        names = [self._by_name.get(name) for name in (item.get("id"), item.get("call_id")) if isinstance(name, str)]
        named = [slot for slot in names if slot is not None and slot.is_same(item)]
        if type(index) is int:
            placed = self._by_index.get(index)
            fitting = next((slot for slot in named if self._fits(slot, index)), None)
            return fitting or (placed if placed is not None and placed.is_same(item) else None)
        if named:
            return named[0]
        unnamed = (slot for slot in reversed(self.all) if slot.id is None or not item.get("id"))
        return next((slot for slot in unnamed if not slot.closed and slot.is_same(item)), None)

    def _open(self, index: Any, kind: str | None, name: Any) -> Slot:
        slot = Slot(index if type(index) is int else None, kind)
        self.all.append(slot)
        if slot.index is not None:
            self._by_index[slot.index] = slot
        if isinstance(name, str) and name:
            slot.id = name
            self._by_name.setdefault(name, slot)
        return slot

    def _learn(self, slot: Slot, item: dict[str, Any]) -> None:
        """Take over what an item says of itself; empty values say nothing."""
        kind, name, call_id, item_id = (item.get(key) for key in ("type", "name", "call_id", "id"))
        slot.kind = kind if isinstance(kind, str) else slot.kind
        if isinstance(item_id, str) and item_id:
            slot.id = item_id
            self._by_name[item_id] = slot
        if slot.kind not in CALLS:
            return
        slot.name = name if isinstance(name, str) and name else slot.name
        if isinstance(call_id, str) and call_id:
            slot.call_id = call_id
            self._by_name.setdefault(call_id, slot)
        slot.extras = call_extras(item) or slot.extras
