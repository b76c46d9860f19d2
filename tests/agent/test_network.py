from __future__ import annotations

import httpx
import pytest

from agent.client import Client
from agent.events import Error
from agent.messages import user
from agent.network import network_transport
from agent.providers.base import Target
from tests.loopback import serve

VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture
def proxy(monkeypatch):
    """Set proxy variables; all others are gone."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    return lambda **values: [monkeypatch.setenv(name, value) for name, value in values.items()]


async def call(url):
    async with Client(Target("test", "openai-chat", url)) as client:
        return [event async for event in client.stream([user("hi")], model="m")]


@pytest.mark.anyio
@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
async def test_a_proxy_variable_counts(proxy, variable):
    async with serve(lambda exchange: exchange.whole(b"", 503, None)) as server:
        proxy(**{variable: server.url.removeprefix("http://")})
        [error, _] = await call("http://model.invalid/v1")
    assert error.status == 503
    assert server.exchanges[0].path == "http://model.invalid/v1/chat/completions"


@pytest.mark.anyio
async def test_loopback_and_no_proxy_go_straight(proxy):
    async with serve(lambda exchange: exchange.whole(b"", 503, None)) as server:
        proxy(HTTP_PROXY="http://127.0.0.1:1")
        assert (await call(f"{server.url}/v1"))[0].status == 503
        proxy(NO_PROXY="127.0.0.1")
        assert (await call(f"{server.url}/v1"))[0].status == 503


@pytest.mark.anyio
async def test_a_proxy_that_cannot_be_used_is_an_event(proxy):
    proxy(HTTP_PROXY="gopher://proxy")
    [error, _] = await call("http://model.invalid/v1")
    assert isinstance(error, Error)
    assert (error.kind, error.retryable) == ("network", True)
    assert "gopher://proxy" in error.message


def test_the_transport_itself(proxy):
    proxy(HTTPS_PROXY="gopher://proxy")
    assert isinstance(network_transport("http://h/v1"), httpx.AsyncHTTPTransport)
    with pytest.raises(httpx.ProxyError, match="cannot be used"):
        network_transport("https://h/v1")


@pytest.mark.anyio
@pytest.mark.parametrize("content", [None, "no certificate"])
async def test_certificates_that_cannot_be_read_are_an_event(proxy, tmp_path, monkeypatch, content):
    proxy()
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_text(content)
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    with pytest.raises(httpx.ConnectError, match=r"^what SSL_CERT_FILE or SSL_CERT_DIR names cannot be used: "):
        network_transport("https://model.invalid/v1")
    [error, _] = await call("https://model.invalid/v1")
    assert isinstance(error, Error)
    assert error.kind == "network"
