"""Closes the network for a while: connections to other hosts are refused, with an error that names the host.

Loopback addresses and Unix sockets stay open, as event loops, test servers and debuggers need them. It works on
Python's sockets, so libraries that bring sockets of their own (curl, uvloop past name resolution) are not held.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from ipaddress import ip_address
from typing import Any

from harness.errors import NetworkRefused

_INTERNET = (socket.AF_INET, socket.AF_INET6)


@contextmanager
def closed_network(hint: str | None = None, refused: Callable[[NetworkRefused], None] | None = None) -> Iterator[None]:
    """Refuse connections with `NetworkRefused` until the context is left; `refused` is told of each."""

    def check(host: Any) -> None:
        name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
        if isinstance(name, str) and not is_local(name):
            error = NetworkRefused(name, hint)
            if refused is not None:
                refused(error)
            raise error

    def of_socket(original: Any, position: int) -> Any:
        def call(self: Any, *arguments: Any) -> Any:
            address = arguments[position] if len(arguments) > abs(position) - (position < 0) else None
            if self.family in _INTERNET and isinstance(address, tuple):
                check(address[0])
            return original(self, *arguments)

        return call

    lookup = socket.getaddrinfo

    def getaddrinfo(host: Any, *arguments: Any, **options: Any) -> Any:
        check(host)
        return lookup(host, *arguments, **options)

    with ExitStack() as stack:
        for name, position in (("connect", 0), ("connect_ex", 0), ("sendto", -1)):
            stack.enter_context(_exchanged(socket.socket, name, of_socket(getattr(socket.socket, name), position)))
        stack.enter_context(_exchanged(socket, "getaddrinfo", getaddrinfo))
        yield


def is_local(host: str) -> bool:
    """Whether a host is this machine, by a name or an address that says so."""
    if host == "" or host.lower() == "localhost" or host.lower().endswith(".localhost"):
        return True
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


@contextmanager
def _exchanged(owner: Any, name: str, value: Any) -> Iterator[None]:
    """An attribute exchanged for a while; an inherited one is not left behind."""
    own = vars(owner).get(name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        if own is None:
            delattr(owner, name)
        else:
            setattr(owner, name, own)
