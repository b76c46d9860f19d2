"""Ways in which a secret can be written, for tests of what finds and removes them."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from urllib.parse import quote

from harness.redaction.views import BASE64, ESCAPED, PERCENT


def percent(text: str) -> str:
    return "".join(f"%{byte:02x}" for byte in text.encode())


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(char):04x}" for char in text)


def base64_of(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


FORMS: dict[str, tuple[Callable[[str], str], str]] = {
    "plain": (str, "plain"),
    "percent": (percent, PERCENT),
    "escaped": (escaped, ESCAPED),
    "escaped-twice": (lambda text: json.dumps(escaped(text))[1:-1], ESCAPED),
    "base64": (base64_of, BASE64),
    "base64-inside": (lambda text: base64_of(f'{{"a":"{text}","b":1}}'), BASE64),
    "base64-inside-shifted": (lambda text: base64_of(f'{{"aa":"{text}"}}'), BASE64),
    "base64-url": (lambda text: base64.urlsafe_b64encode(f"~~{text}??".encode()).decode().rstrip("="), BASE64),
    "base64-twice": (lambda text: base64_of(base64_of(text)), BASE64),
    "base64-percent": (lambda text: quote(base64_of(text + "??>"), safe=""), BASE64),
    "percent-base64": (lambda text: base64_of(percent(text)), BASE64),
    "base64-slashes": (lambda text: base64_of("??>" + text).replace("/", "\\/"), BASE64),
}
"""Name to the function that writes it, and the form that a finder names first."""
