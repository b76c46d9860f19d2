"""Whether the records of a recording stand in the order that `harness.recording.records.KINDS` gives."""

from __future__ import annotations

from harness.recording.records import KINDS, Record

_ONCE = frozenset({"request", "response", "call_end", "turn"})


def record_of(kind: str) -> str:
    """As messages name it: `a frame record`, `an event record`."""
    return f"{'an' if kind.startswith('e') else 'a'} {kind} record"


class OrderChecker:
    """Records in, in file order; what is wrong with each out. Memory grows with the number of calls, not of records."""

    def __init__(self) -> None:
        self._seq = -1
        self._seen: dict[tuple[str, int], set[str]] = {}
        self._header = False

    def feed(self, record: Record) -> str | None:
        """What is out of order about a record (of the right shape): one line, None for nothing."""
        kind = record["kind"]
        seq, self._seq = self._seq, record["seq"]
        if self._seq <= seq:
            return f"seq {self._seq} follows seq {seq}"
        if kind == "header":
            again, self._header = self._header, True
            return "a second header" if again or seq >= 0 else None
        if not self._header:
            return f"{record_of(kind)} before the header"
        scope = KINDS[kind].scope
        if scope == "recording":
            return None
        number = record[scope]
        seen = self._seen.setdefault((scope, number), set())
        problem = None
        if kind in _ONCE and kind in seen:
            problem = f"a second {kind} record of {scope} {number}"
        elif scope == "call" and "call_end" in seen:
            problem = f"{record_of(kind)} of call {number} after its call_end"
        else:
            missing = [name for name in KINDS[kind].after if name != "header" and name not in seen]
            if missing:
                problem = f"{record_of(kind)} of {scope} {number} before its {missing[0]}"
        seen.add(kind)
        return problem
