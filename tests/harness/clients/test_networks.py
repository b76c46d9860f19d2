from __future__ import annotations

import pytest

from harness.clients.networks import NetworkTransport
from tests.harness.transports import family
from tests.scripted import Answer, scripted

FAMILIES = ("httpx", "httpx2")
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch):
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.mark.parametrize("name", FAMILIES)
def test_requests_go_by_the_proxy_of_the_environment(name, monkeypatch):
    module = family(name)
    with scripted([Answer(b"by the proxy"), Answer(b"straight")]) as server:
        monkeypatch.setenv("HTTP_PROXY", server.url)
        with module.Client(transport=NetworkTransport(module, {})) as client:
            assert client.get("http://api.example/a").text == "by the proxy"
            assert client.get(server.url + "/b").text == "straight"
        assert [exchange.path for exchange in server.exchanges] == ["http://api.example/a", "/b"]


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.anyio
async def test_a_proxy_that_is_given_wins(name, monkeypatch):
    module = family(name)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with scripted([Answer(b"by the proxy")]) as server:
        async with module.AsyncClient(transport=NetworkTransport(module, {"proxy": server.url})) as client:
            assert (await client.get("http://api.example/a")).text == "by the proxy"


def test_the_environment_may_be_of_no_concern(monkeypatch):
    module = family("httpx")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    client = module.Client(transport=NetworkTransport(module, {"trust_env": False}))
    with client, pytest.raises(module.ConnectError):
        client.get("http://127.0.0.2:9")
