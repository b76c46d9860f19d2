"""A transport that does with each request what the record mode says, sync and async, for `httpx` and `httpx2`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.clients.everywhere import Behind
from harness.errors import ReplayMismatch
from harness.replaying.misses import answer

if TYPE_CHECKING:
    from harness.clients.session_file import SessionFile

_HURRY = ("retry-after-ms", "1")
"""Tells the SDKs that are made by Stainless (OpenAI's, Anthropic's, others) to retry without waiting."""


class ModeTransport:
    """Composes replaying and recording. `inner` reaches the network; a replay has none and never asks one."""

    def __init__(self, session: SessionFile, inner: Any = None) -> None:
        self._session = session
        self._inner = None if inner is None else Behind(inner)

    def handle_request(self, request: Any) -> Any:
        __tracebackhide__ = True
        session = self._session
        if session.answers:
            request.read()
            try:
                return _in_a_hurry(session, request, session.replayed.handle_request(request))
            except ReplayMismatch as miss:
                if not session.adds:
                    return answer(request, session.missed(miss))
        elif session.compares:
            request.read()
            try:
                session.pair(request)
            except ReplayMismatch as miss:
                return answer(request, session.missed(miss))
        return session.sending(self._network()).handle_request(request)

    async def handle_async_request(self, request: Any) -> Any:
        __tracebackhide__ = True
        session = self._session
        if session.answers:
            await request.aread()
            try:
                return _in_a_hurry(session, request, await session.replayed.handle_async_request(request))
            except ReplayMismatch as miss:
                if not session.adds:
                    return answer(request, session.missed(miss))
        elif session.compares:
            await request.aread()
            try:
                session.pair(request)
            except ReplayMismatch as miss:
                return answer(request, session.missed(miss))
        return await session.sending(self._network()).handle_async_request(request)

    def close(self) -> None:
        if self._inner is not None:
            self._inner.close()

    async def aclose(self) -> None:
        if self._inner is not None:
            await self._inner.aclose()

    def __enter__(self) -> ModeTransport:
        if self._inner is not None:
            self._inner.__enter__()
        return self

    def __exit__(self, *exc: Any) -> None:
        if self._inner is not None:
            self._inner.__exit__(*exc)

    async def __aenter__(self) -> ModeTransport:
        if self._inner is not None:
            await self._inner.__aenter__()
        return self

    async def __aexit__(self, *exc: Any) -> None:
        if self._inner is not None:
            await self._inner.__aexit__(*exc)

    def _network(self) -> Any:
        assert self._inner is not None
        return self._inner


def _in_a_hurry(session: SessionFile, request: Any, response: Any) -> Any:
    """A recorded failure is tried again as it was then, but a replay has nothing to wait for."""
    if response.status_code >= 400 and session.speed is None and "x-stainless-lang" in request.headers:
        response.headers[_HURRY[0]] = _HURRY[1]
    return response
