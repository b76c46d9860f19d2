"""The transport that reaches the network for a client of either family, by way of the proxies of the environment."""

from __future__ import annotations

from threading import Lock
from typing import Any

from agent.network import proxy_for

OPTIONS = frozenset({
    "cert", "http1", "http2", "limits", "local_address", "proxy", "retries", "socket_options", "trust_env", "uds",
    "verify",
})  # fmt: skip
"""Arguments of a client, or of its network transport, that say how the network is reached."""


class NetworkTransport:
    """`options`: arguments of the family's network transport. Without `proxy` among them, and unless `trust_env` is
    False, the environment names the proxy for each request, as it does for a client of the family's own.

    The family's transports are made when they are needed, one a proxy.
    """

    def __init__(self, family: Any, options: dict[str, Any]) -> None:
        self._family = family
        self._options = options
        self._by_environment = "proxy" not in options and options.get("trust_env", True)
        self._made: dict[tuple[str, str | None], Any] = {}
        self._lock = Lock()

    def handle_request(self, request: Any) -> Any:
        return self._transport("HTTPTransport", request).handle_request(request)

    async def handle_async_request(self, request: Any) -> Any:
        return await self._transport("AsyncHTTPTransport", request).handle_async_request(request)

    def close(self) -> None:
        for transport in self._taken("HTTPTransport"):
            transport.close()

    async def aclose(self) -> None:
        for transport in self._taken("AsyncHTTPTransport"):
            await transport.aclose()

    def __enter__(self) -> NetworkTransport:
        return self

    def __exit__(self, *exc: Any) -> None:
        self.close()

    async def __aenter__(self) -> NetworkTransport:
        return self

    async def __aexit__(self, *exc: Any) -> None:
        await self.aclose()

    def _transport(self, kind: str, request: Any) -> Any:
        proxy = proxy_for(str(request.url)) if self._by_environment else None
        with self._lock:
            found = self._made.get((kind, proxy))
            if found is None:
                options = self._options if proxy is None else {**self._options, "proxy": proxy}
                found = self._made[kind, proxy] = getattr(self._family, kind)(**options)
        return found

    def _taken(self, kind: str) -> list[Any]:
        with self._lock:
            keys = [key for key in self._made if key[0] == kind]
            return [self._made.pop(key) for key in keys]
