"""Secrets that are known by their value, in the forms that are looked for: as they are, and in base64. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from harness.redaction.in_base64 import LINE, core_pattern, cores, has_run, runs, windows, written_forms
from harness.redaction.key_shapes import is_number, plain_run, shape_of, value_pattern

KEY_RULE = "key"

MIN_RUN = 6
_MIN_CORE = 4
"""Bytes of a part by which a value is found; in base64 of a short value it may be shorter."""


class Value:
    """A secret that is known by its value, or what base64 makes of it (`core`), perhaps of its base64 (`twice`)."""

    def __init__(self, text: str, core: bytes | None = None, *, twice: bool = False) -> None:
        self.secret = raw_of(text)
        self.twice = twice
        self.text = text if core is None else core.decode()
        self.is_core = core is not None
        self.is_number = is_number(self.text)
        self.runs = windows(core) if core is not None else [plain_run(text)]
        """Parts of it, of which one stands wherever it stands, if no letter or digit is escaped."""
        self.known_by_runs = all(len(run) >= (MIN_RUN if core is None else _MIN_CORE) for run in self.runs)

    @cached_property
    def rule(self) -> str:
        return shape_of(self.secret) or KEY_RULE

    @cached_property
    def pattern(self) -> re.Pattern[bytes]:
        return core_pattern(self.text) if self.is_core else value_pattern(self.text)

    def may_stand_in(self, data: bytes, *, escaped: bool) -> bool:
        """`escaped`: letters may be escaped in `data`; in base64 they are not looked for then."""
        if not self.known_by_runs or (escaped and not self.is_core):
            return True
        return any(run in data for run in self.runs)


@dataclass(slots=True, frozen=True)
class Known:
    """Known values, the longest first. `runs`, `core_runs`, `twice_runs`: the parts by which they are found, `always`
    where these do not do.
    """

    values: tuple[Value, ...] = ()
    runs: tuple[bytes, ...] = ()
    core_runs: tuple[bytes, ...] = ()
    twice_runs: tuple[bytes, ...] = ()
    always: bool = False
    shortest: int = 0
    """Bytes of the shortest of `core_runs`."""
    shortest_twice: int = 0
    """Characters of base64 in a row that hold the shortest value twice encoded."""
    not_twice: tuple[Value, ...] = ()
    """`values` but for those twice encoded that are found by their runs."""
    not_encoded: tuple[Value, ...] = ()
    """Those but for the others in base64 that are found by their runs."""

    @classmethod
    def of(cls, values: Iterable[Value]) -> Known:
        ordered = tuple(sorted(values, key=lambda value: -len(value.text)))
        parts: tuple[dict[bytes, None], ...] = ({}, {}, {})
        for value in ordered:
            if value.known_by_runs:
                parts[value.is_core + value.twice].update(dict.fromkeys(value.runs))
        always = not all(value.known_by_runs for value in ordered)
        shortest = min(map(len, parts[1]), default=0)
        twice = min([LINE, *(len(value.text) for value in ordered if value.twice)])
        not_twice = tuple(value for value in ordered if not (value.twice and value.known_by_runs))
        not_encoded = tuple(value for value in not_twice if not (value.is_core and value.known_by_runs))
        plain, once_encoded, twice_encoded = ((*part,) for part in parts)
        return cls(ordered, plain, once_encoded, twice_encoded, always, shortest, twice, not_twice, not_encoded)

    def to_look_for(self, data: bytes) -> tuple[Value, ...]:
        """Those of the values that may stand in `data`, by the parts of base64 that are there."""
        if self._twice_in(data):
            return self.values
        return self.not_twice if self._once_in(data) else self.not_encoded

    def may_stand_in(self, data: bytes) -> bool:
        """Whether one of their parts does."""
        for run in self.runs:
            if run in data:
                return True
        return bool(self.core_runs or self.twice_runs) and (self._once_in(data) or self._twice_in(data))

    def _once_in(self, data: bytes) -> bool:
        """Base64 is looked for only where some is."""
        if self.core_runs and has_run(data, self.shortest):
            for run in self.core_runs:
                if run in data:
                    return True
        return False

    def _twice_in(self, data: bytes) -> bool:
        if self.twice_runs and has_run(data, self.shortest_twice):
            encoded = b" ".join([data[run.start : run.end] for run in runs(data, self.shortest_twice)])
            for run in self.twice_runs:
                if run in encoded:
                    return True
        return False


def forms_of(secret: str) -> list[Value]:
    """A secret as it is, in base64, and in base64 of that; what would be the same comes once."""
    once = {core: Value(secret, core) for form in written_forms(secret) for core in cores(raw_of(form))}
    twice = {core: Value(secret, core, twice=True) for inner in once for core in cores(inner)}
    return [Value(secret), *(twice | once).values()]


def raw_of(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
