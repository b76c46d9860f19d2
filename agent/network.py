"""The transport that reaches a provider, as the environment says."""

from __future__ import annotations

import ssl
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

_LIMITS = httpx.Limits(max_connections=100, max_keepalive_connections=20)


def network_transport(url: str, *, limits: httpx.Limits = _LIMITS) -> httpx.AsyncBaseTransport:
    """The transport that really reaches `url`, for use by itself or inside another one. `limits`: of its connections.

    Proxy variables (`HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY` and the like) and `SSL_CERT_FILE` count; loopback addresses
    are never asked of a proxy. Raises `httpx.ProxyError` for a proxy that cannot be used, and `httpx.ConnectError` for
    certificates that cannot be read.
    """
    proxy = proxy_for(url)
    plain = proxy is None and urlsplit(url).scheme == "http"
    try:
        return httpx.AsyncHTTPTransport(proxy=proxy, limits=limits, verify=_no_authorities() if plain else True)
    except (ImportError, ValueError) as error:
        raise httpx.ProxyError(f"the proxy {proxy} cannot be used: {str(error).rstrip('.')}") from error
    except OSError as error:  # `ssl.SSLError` is one
        reason = error.strerror or error
        raise httpx.ConnectError(f"what SSL_CERT_FILE or SSL_CERT_DIR names cannot be used: {reason}") from error


def _no_authorities() -> ssl.SSLContext:
    """For plain HTTP: reading the certificates takes 25 ms. Should TLS come up all the same, it trusts nobody."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def proxy_for(url: str) -> str | None:
    """The proxy by which the environment says that `url` is reached; None for no proxy."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy or host in ("localhost", "::1") or host.startswith("127.") or proxy_bypass(host):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"
