from __future__ import annotations

import asyncio
import socket
import urllib.request

import pytest

from harness.errors import NetworkRefused
from harness.pytest_plugin.closed_network import closed_network, is_local

BEFORE = {name: vars(socket.socket).get(name) for name in ("connect", "connect_ex", "sendto")}


@pytest.mark.parametrize(
    "host", ["", "localhost", "LOCALHOST", "a.localhost", "127.0.0.1", "127.8.8.8", "::1", "0.0.0.0", "::1%lo"]
)
def test_this_machine(host):
    assert is_local(host)


@pytest.mark.parametrize("host", ["api.openai.com", "10.0.0.1", "192.168.1.1", "::2", "localhost.example"])
def test_another_machine(host):
    assert not is_local(host)


def test_the_host_is_named_whatever_library_asks():
    refused = []
    with closed_network("replay", refused.append):
        with pytest.raises(NetworkRefused, match=r"api\.example was asked for \(replay\)"):
            urllib.request.urlopen("http://api.example/x")
        with pytest.raises(NetworkRefused, match=r"10\.1\.2\.3"), socket.socket() as sock:
            sock.connect(("10.1.2.3", 80))
        with pytest.raises(NetworkRefused), socket.socket() as sock:
            sock.connect_ex(("10.1.2.3", 80))
        with pytest.raises(NetworkRefused), socket.socket(type=socket.SOCK_DGRAM) as sock:
            sock.sendto(b"x", ("10.1.2.3", 80))
        with pytest.raises(NetworkRefused), socket.socket(type=socket.SOCK_DGRAM) as sock:
            sock.sendto(b"x", 0, ("10.1.2.3", 80))
    assert [error.host for error in refused] == ["api.example", *["10.1.2.3"] * 4]


def test_asyncio_is_refused_too():
    async def connect(host):
        await asyncio.open_connection(host, 80)

    with closed_network():
        for host in ("api.example", "10.1.2.3"):
            with pytest.raises(NetworkRefused, match=host):
                asyncio.run(connect(host))


@pytest.mark.parametrize("family", ["httpx", "httpx2"])
def test_clients_show_the_reason(family):
    module = pytest.importorskip(family)
    with (
        closed_network(),
        pytest.raises(NetworkRefused, match=r"api\.example"),
        module.Client(trust_env=False) as client,
    ):
        client.get("https://api.example")


def test_loopback_and_unix_sockets_stay_open(tmp_path):
    with closed_network(), socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection(server.getsockname()) as client:
            client.sendall(b"x")
        with socket.socket(type=socket.SOCK_DGRAM) as udp:
            udp.sendto(b"x", ("127.0.0.1", server.getsockname()[1]))
        if hasattr(socket, "AF_UNIX"):
            with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as client:
                listener.bind(str(tmp_path / "s"))
                listener.listen()
                client.connect(str(tmp_path / "s"))


def test_nothing_is_left_behind():
    lookup = socket.getaddrinfo
    with pytest.raises(RuntimeError), closed_network():
        raise RuntimeError
    assert socket.getaddrinfo is lookup
    assert {name: vars(socket.socket).get(name) for name in BEFORE} == BEFORE
