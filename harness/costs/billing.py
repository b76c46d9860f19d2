"""Which calls can have cost something. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agent.refusals import is_refusal

if TYPE_CHECKING:
    from harness.report.call_facts import CallFacts

_NEVER_CONNECTED = frozenset(
    {
        "ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError", "UnsupportedProtocol", "InvalidURL",
        "LocalProtocolError", "ConnectionRefusedError", "gaierror", "SSLError", "SSLCertVerificationError",
    }
)  # fmt: skip
"""Exceptions before any of a request is sent: of httpx, and of Python."""

_FREE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "DELETE"})
_FREE_PATHS = re.compile(r"(?:/count_tokens|:countTokens)(?:[?#]|$)")
"""Counting tokens is free (Anthropic, "Token counting"; Gemini API, "Understand and count tokens")."""


def may_be_billed(call: CallFacts) -> bool:
    """Whether a call can have cost something: all but those that surely did not.

    Of one that brought no output and reports no usage that is sure where the provider refused it (an HTTP error, an
    error object before any output), where no connection stood, and where nothing was to be generated. One that was
    cancelled, cut, reset or timed out, or in which the recording stops, may have been billed for its input.
    """
    if call.usage is not None or call.content:
        return True
    if call.method.upper() in _FREE_METHODS or _FREE_PATHS.search(call.url):
        return False
    if call.status is not None and call.status >= 300:
        return False
    if call.ending == "no_response":
        return (call.ending_detail or "").partition(":")[0] not in _NEVER_CONNECTED
    if call.status is None or not call.errors:
        return True
    return not is_refusal(call.errors[0], complete=call.complete, stop_reason_raw=call.stop_reason_raw)
