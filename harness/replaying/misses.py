"""How a request that no recorded call answers reaches the user of an SDK.

Libraries retry what a transport raises, up to minutes, and then tell of a connection error: the reason is lost. An
answer with status 400 is tried once by all of them, and its text is shown (tried with the SDKs of OpenAI, Anthropic and
Google). So a client that names a library gets that; code that uses httpx itself gets the exception.
"""

from __future__ import annotations

import re
from typing import Any

from harness import wire
from harness.errors import ReplayMismatch
from harness.replaying.error_bodies import DONT_RETRY, error_body, shape_of

STATUS = 400

_SHOWN = 5
"""Differences that the one line of an SDK's error can bear; the session's own error has all."""

_OWN_AGENT = re.compile(r"python-httpx2?/")


def answer(request: Any, miss: ReplayMismatch) -> Any:
    """The response that stands for a miss, in the shape of the provider that was asked; or `miss` is raised."""
    __tracebackhide__ = True  # in pytest, the user's own line counts
    agent = request.headers.get("user-agent", "")
    if not agent or _OWN_AGENT.match(agent):
        raise miss.with_traceback(None) from None
    shape = shape_of(request.url.path, request.headers.multi_items())
    body = error_body(shape, STATUS, text_of(miss), "replay_mismatch")
    headers = [("content-type", "application/json"), DONT_RETRY]
    family = wire.family_of(request)
    return family.Response(STATUS, headers=headers, stream=family.ByteStream(body))


def text_of(miss: ReplayMismatch) -> str:
    """The miss in one line, with the differences that matter most."""
    text = f"no recorded call answers {miss.request}"
    if miss.nearest is not None:
        shown = "; ".join(miss.differences[:_SHOWN])
        more = len(miss.differences) - _SHOWN
        text += f"; the nearest is call {miss.nearest}, which differs in {shown}" + (
            f"; {more} more" if more > 0 else ""
        )
    return f"{text} ({miss.hint})" if miss.hint else text
