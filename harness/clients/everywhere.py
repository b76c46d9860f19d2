"""Covers every client of `httpx` and `httpx2`, for code that builds its own: its network transports are led elsewhere.

While a cover is on, `handle_request` and `handle_async_request` of the families' network transports are exchanged, so
clients that were built before count too. The last cover that is put on gets the requests. When the last one is taken
off the classes are as they were. Transports that reach no network (mock, ASGI, WSGI) are let be.

Libraries with a network of their own (aiohttp, and urllib3 below requests) cannot be covered; a call to a model that
goes by them is told of, so that it is not missed without a word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from threading import Lock
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from harness.wire import FAMILIES
from harness.wire_format import wire_of

Cover: TypeAlias = Callable[[Any], Any]
"""Gives the transport that takes a request in place of the network transport that is passed."""

Unseen: TypeAlias = Callable[[str, str, str], None]
"""Told of a call to a model that no cover gets: the library, the host and the path. It may raise to refuse it."""

_METHODS = (("HTTPTransport", "handle_request"), ("AsyncHTTPTransport", "handle_async_request"))

_OTHERS = (
    ("aiohttp", "client", "ClientSession", "_request"),
    ("urllib3", "connectionpool", "HTTPConnectionPool", "urlopen"),
)
"""Library, module, class and method by which all its requests go; these take the HTTP method and the URL first."""

_covers: list[tuple[Cover, Unseen]] = []
_exchanged: list[tuple[type, str, Any]] = []
_lock = Lock()
_behind: ContextVar[bool] = ContextVar("behind", default=False)
"""Whether the running code is behind a transport of this package already: its requests go to the network."""


class Behind:
    """A transport as the inner one of ours: what it asks of the network is not led to a cover."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def handle_request(self, request: Any) -> Any:
        token = _behind.set(True)
        try:
            return self._inner.handle_request(request)
        finally:
            _behind.reset(token)

    async def handle_async_request(self, request: Any) -> Any:
        token = _behind.set(True)
        try:
            return await self._inner.handle_async_request(request)
        finally:
            _behind.reset(token)

    def close(self) -> None:
        self._inner.close()

    async def aclose(self) -> None:
        await self._inner.aclose()

    def __enter__(self) -> Behind:
        self._inner.__enter__()
        return self

    def __exit__(self, *exc: Any) -> None:
        self._inner.__exit__(*exc)

    async def __aenter__(self) -> Behind:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *exc: Any) -> None:
        await self._inner.__aexit__(*exc)


def _pass(library: str, host: str, path: str) -> None:
    """Let be what no cover gets."""


@contextmanager
def covered(cover: Cover, unseen: Unseen = _pass) -> Iterator[None]:
    """Lead the requests of all clients to `cover`, and tell `unseen` of the calls to models that go another way."""
    one = (cover, unseen)
    with _lock:
        if not _covers:
            _exchange()
        _covers.append(one)
    try:
        yield
    finally:
        with _lock:
            _covers.remove(one)
            if not _covers:
                _restore()


def _exchange() -> None:
    for name in FAMILIES:
        try:
            family = import_module(name)
        except ImportError:
            continue
        for class_name, method in _METHODS:
            owner = getattr(family, class_name)
            original = getattr(owner, method)
            _exchanged.append((owner, method, original))
            setattr(owner, method, _sync(original) if method == "handle_request" else _async(original))
    for library, module, class_name, method in _OTHERS:
        try:
            owner = getattr(import_module(f"{library}.{module}"), class_name)
            original = getattr(owner, method)
        except (ImportError, AttributeError):
            continue
        _exchanged.append((owner, method, original))
        setattr(owner, method, _telling(library, original))


def _restore() -> None:
    while _exchanged:
        owner, method, original = _exchanged.pop()
        setattr(owner, method, original)


def _sync(original: Any) -> Any:
    def handle_request(self: Any, request: Any) -> Any:
        __tracebackhide__ = True
        if _behind.get() or not _covers:
            return original(self, request)
        return _covers[-1][0](self).handle_request(request)

    return handle_request


def _async(original: Any) -> Any:
    async def handle_async_request(self: Any, request: Any) -> Any:
        __tracebackhide__ = True
        if _behind.get() or not _covers:
            return await original(self, request)
        return await _covers[-1][0](self).handle_async_request(request)

    return handle_async_request


def _telling(library: str, original: Any) -> Any:
    def request(self: Any, method: str, url: Any, *arguments: Any, **options: Any) -> Any:
        __tracebackhide__ = True
        if _covers and not _behind.get() and wire_of(method, str(url)) is not None:
            place = urlsplit(str(url))
            _covers[-1][1](library, place.hostname or getattr(self, "host", "") or "another server", place.path)
        return original(self, method, url, *arguments, **options)

    return request
