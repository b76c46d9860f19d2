"""The two families of the httpx API: `httpx`, and `httpx2`, to which the official SDKs moved.

This is the one file that knows them. Transports take their response, stream and exception classes from the family of
the request, so one implementation serves both, sync and async.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

FAMILIES = ("httpx", "httpx2")

if TYPE_CHECKING:
    Transport: TypeAlias = Any
else:
    Transport = object
"""Base of our transports. The families' own bases are not one class, so type checkers are told that it fits either."""


def family_of(request: Any) -> Any:
    """The module (`httpx` or `httpx2`) that a request object belongs to. Raises `TypeError` for any other object."""
    for base in type(request).__mro__:
        name = base.__module__.partition(".")[0]
        if name in FAMILIES:
            return sys.modules[name]
    raise TypeError(f"expected a request of httpx or httpx2, got {type(request).__module__}.{type(request).__name__}")


@cache
def stream_class(family: Any) -> type[Any]:
    """A response stream of a family made of plain functions, sync and async alike.

    Clients check the class of a response's stream, so it derives from the family's own base classes.
    """

    class FunctionStream(family.SyncByteStream, family.AsyncByteStream):  # type: ignore[misc]
        def __init__(
            self,
            iterate: Callable[[], Iterator[bytes]] | None = None,
            aiterate: Callable[[], AsyncIterator[bytes]] | None = None,
            close: Callable[[], None] | None = None,
            aclose: Callable[[], Any] | None = None,
        ) -> None:
            self._iterate, self._aiterate, self._close, self._aclose = iterate, aiterate, close, aclose

        def __iter__(self) -> Iterator[bytes]:
            assert self._iterate is not None
            return self._iterate()

        def __aiter__(self) -> AsyncIterator[bytes]:
            assert self._aiterate is not None
            return self._aiterate()

        def close(self) -> None:
            if self._close is not None:
                self._close()

        async def aclose(self) -> None:
            if self._aclose is not None:
                await self._aclose()

    return FunctionStream


def transport_error(family: Any, name: str | None, message: str, request: Any) -> Exception:
    """An exception like the one that was recorded, of the same class name and message.

    The class is the family's, else Python's own (transports let `ConnectionResetError` through), else a `ReadError`
    that bears the recorded name, so that callers who catch transport errors catch it too.
    """
    name = name or "ReadError"
    found = getattr(family, name, None)
    if isinstance(found, type) and issubclass(found, family.RequestError):
        return _made(found, message, request)
    found = getattr(builtins, name, None)
    if isinstance(found, type) and issubclass(found, Exception) and not issubclass(found, _CONTROL):
        try:
            error = found(message)
        except TypeError:  # a class with arguments of its own, such as `UnicodeDecodeError`
            error = None
        if str(error) == message:
            assert error is not None
            return error
    return _made(type(name, (family.ReadError,), {}) if name.isidentifier() else family.ReadError, message, request)


_CONTROL = (StopIteration, StopAsyncIteration)


def _made(error_class: Any, message: str, request: Any) -> Exception:
    error: Exception = error_class(message, request=request)
    return error
