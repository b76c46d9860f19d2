"""Secrets out of texts, JSON values and frames that are recorded already; placeholders numbered on in. Pure."""

from __future__ import annotations

from typing import Any

from agent.jsonio import NotJSON, dumps, loads_exact
from harness.redaction.finder import Finder, Hit
from harness.redaction.frame_data import change_other_lines, data_of, with_data
from harness.redaction.placeholders import PLACEHOLDER

_PASSES = 8
"""What remains of overlapping secrets can be a secret of its own; it gets shorter each time."""


class Placeholders:
    """Gives the same secret the same placeholder, and none that stands in the file already."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, bytes], int] = {}
        self._last: dict[str, int] = {}

    @property
    def rules(self) -> list[str]:
        """The rules of the secrets that got one, in order of their first."""
        return list(dict.fromkeys(rule for rule, _ in self._numbers))

    def __len__(self) -> int:
        """Of how many different secrets it was asked."""
        return len({secret for _, secret in self._numbers})

    def reserve(self, data: bytes) -> None:
        """Never give those that stand in `data`."""
        for match in PLACEHOLDER.finditer(data):
            rule = match[1].decode()
            self._last[rule] = max(self._last.get(rule, 0), int(match[2]))

    def of(self, hit: Hit) -> bytes:
        number = self._numbers.get((hit.rule, hit.secret))
        if number is None:
            number = self._numbers[hit.rule, hit.secret] = self._last[hit.rule] = self._last.get(hit.rule, 0) + 1
        return b"[redacted:%s:%d]" % (hit.rule.encode(), number)


class Cleaner:
    """Replaces what `finder` finds. What holds no secret is given back as it is, the same object."""

    def __init__(self, finder: Finder, placeholders: Placeholders) -> None:
        self.finder = finder
        self.placeholders = placeholders

    def data(self, data: bytes, *, user_rules: bool = True) -> bytes:
        """A text as bytes. `user_rules`: also what the user's own rules match, which may cut JSON apart."""
        for _ in range(_PASSES):
            hits = self.finder.find(data, user_rules=user_rules)
            if not hits:
                break
            parts = []
            at = 0
            for hit in hits:
                parts += [data[at : hit.start], hit.replacement(data[: hit.start], self.placeholders.of(hit))]
                at = hit.end
            data = b"".join([*parts, data[at:]])
        return data

    def text(self, text: str) -> str:
        data = text.encode("utf-8", "surrogatepass")
        cleaned = self.data(data)
        return text if cleaned is data else cleaned.decode("utf-8", "surrogatepass")

    def value(self, value: Any) -> Any:
        """All strings, names and numbers of a JSON value."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            pairs = [(self.text(name), self.value(item)) for name, item in value.items()]
            same = all(one[0] is name and one[1] is value[name] for one, name in zip(pairs, value, strict=True))
            return value if same else dict(pairs)
        if isinstance(value, list):
            items = [self.value(item) for item in value]
            return value if all(one is other for one, other in zip(items, value, strict=True)) else items
        if isinstance(value, int | float) and not isinstance(value, bool):
            data = dumps(value)
            cleaned = self.data(data)
            return value if cleaned is data else cleaned.decode()
        return value

    def document(self, data: bytes) -> bytes:
        """A JSON document, or else a text."""
        try:
            value = loads_exact(data)
        except NotJSON:
            return self.data(data)
        cleaned = self.value(value)
        return self.data(data, user_rules=False) if cleaned is value else dumps(cleaned)

    def frame(self, raw: bytes) -> bytes:
        """A frame: its data as JSON where it is JSON, every other line as a text."""
        data = data_of(raw)
        if data is not None:
            cleaned = self.document(data)
            if cleaned != data:
                raw = with_data(raw, cleaned)
        return change_other_lines(raw, self.data)
