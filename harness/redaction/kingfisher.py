"""The scanner of the extra `secrets`: kingfisher-secret-scanner, which knows the tokens of several hundred services.

It works in this process and offline: it is never asked to validate what it finds.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from harness.errors import HarnessError
from harness.redaction.placeholders import PLACEHOLDER

MODULE = "kingfisher_sdk"
PREFIX = "kingfisher."


@dataclass(slots=True, frozen=True)
class ForeignHit:
    """A secret that starts at byte `start`. `rule`: `kingfisher.` and the scanner's own name for it."""

    start: int
    rule: str
    secret: str


def available() -> bool:
    """Whether the scanner is installed."""
    return find_spec(MODULE) is not None


class Kingfisher:
    """The scanner with its built-in rules. Making one takes a few seconds the first time, as it compiles them."""

    def __init__(self) -> None:
        if not available():
            raise HarnessError(
                "the scanner kingfisher is not installed: pip install 'trajectory-harness[secrets]', or leave out "
                "--kingfisher"
            )
        self._scanner: Any = import_module(MODULE).Scanner()

    def find(self, data: bytes) -> list[ForeignHit]:
        """What it takes for secrets in `data`; placeholders of redaction are none."""
        found = []
        for finding in self._scanner.scan(data):
            secret = finding.secret
            if finding.visible and not PLACEHOLDER.search(secret.encode("utf-8", "surrogatepass")):
                rule = PREFIX + finding.rule_id.replace("/", ".")
                found.append(ForeignHit(finding.location["start_offset"], rule, secret))
        return found
