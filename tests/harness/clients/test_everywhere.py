from __future__ import annotations

import sys
import threading
from types import ModuleType

import pytest

import harness
from harness.clients.everywhere import Behind, covered
from harness.errors import NetworkRefused
from tests.harness.transports import family
from tests.scripted import Answer, scripted

FAMILIES = ("httpx", "httpx2")


class Cover:
    """Answers by itself, and counts."""

    def __init__(self, name="cover"):
        self.name = name
        self.urls = []

    def __call__(self, inner):
        cover = self

        class Transport:
            def handle_request(self, request):
                cover.urls.append(str(request.url))
                module = __import__(type(request).__module__.partition(".")[0])
                return module.Response(200, text=cover.name)

            async def handle_async_request(self, request):
                return self.handle_request(request)

        return Transport()


def methods():
    found = []
    for name in FAMILIES:
        module = family(name)
        found += [module.HTTPTransport.handle_request, module.AsyncHTTPTransport.handle_async_request]
    return found


@pytest.mark.parametrize("name", FAMILIES)
def test_clients_of_all_kinds_are_covered(name):
    module = family(name)
    before = module.Client(trust_env=False)
    cover = Cover()
    with covered(cover):
        with module.Client() as inside:
            assert inside.get("https://a.example/1").text == "cover"
        assert before.get("https://a.example/2").text == "cover"
        assert module.get("https://a.example/3").text == "cover"
        with module.Client(mounts={"https://": module.HTTPTransport(retries=2)}) as mounted:
            assert mounted.get("https://a.example/4").text == "cover"
    assert len(cover.urls) == 4
    before.close()


@pytest.mark.anyio
@pytest.mark.parametrize("name", FAMILIES)
async def test_async_clients_are_covered(name):
    with covered(Cover()):
        async with family(name).AsyncClient() as client:
            assert (await client.get("https://a.example/1")).text == "cover"


@pytest.mark.parametrize("name", FAMILIES)
def test_transports_that_reach_no_network_are_let_be(name):
    module = family(name)
    with covered(Cover()), module.Client(transport=module.MockTransport(lambda _: module.Response(201))) as client:
        assert client.get("https://a.example").status_code == 201


def test_the_last_cover_counts_whatever_the_order_they_go_in():
    module = family("httpx")
    first, second = covered(Cover("first")), covered(Cover("second"))
    before = methods()
    first.__enter__()
    second.__enter__()
    assert module.get("https://a.example").text == "second"
    first.__exit__(None, None, None)
    assert module.get("https://a.example").text == "second"
    second.__exit__(None, None, None)
    assert methods() == before


def test_nothing_is_left_behind():
    before = methods()
    cover = covered(Cover())
    cover.__enter__()
    assert methods() != before
    cover.__exit__(None, None, None)
    assert methods() == before


@pytest.mark.parametrize("name", FAMILIES)
def test_what_is_behind_a_transport_of_ours_reaches_the_network(name):
    module = family(name)
    client = module.Client(transport=Behind(module.HTTPTransport()))
    with scripted([Answer(b"from the network")]) as server, covered(Cover()), client:
        assert client.get(server.url).text == "from the network"
        assert module.get(server.url).text == "cover"


@pytest.mark.anyio
@pytest.mark.parametrize("name", FAMILIES)
async def test_what_is_behind_an_async_transport_reaches_the_network(name):
    module = family(name)
    with scripted([Answer(b"from the network")]) as server, covered(Cover()):
        async with module.AsyncClient(transport=Behind(module.AsyncHTTPTransport())) as client:
            assert (await client.get(server.url)).text == "from the network"


def test_other_threads_are_covered_too():
    found = []
    with covered(Cover()):
        thread = threading.Thread(target=lambda: found.append(family("httpx").get("https://a.example").text))
        thread.start()
        thread.join()
    assert found == ["cover"]


class Elsewhere:
    """In the place of a library that brings its own network."""

    def __init__(self, host):
        self.host = host

    def urlopen(self, method, url, body=None):
        return f"{method} {url} {body}"

    async def _request(self, method, url, **options):
        return f"{method} {url} {options}"


@pytest.fixture
def elsewhere(monkeypatch):
    for library, module, name in (
        ("aiohttp", "client", "ClientSession"),
        ("urllib3", "connectionpool", "HTTPConnectionPool"),
    ):
        monkeypatch.setitem(sys.modules, library, ModuleType(library))
        place = ModuleType(f"{library}.{module}")
        setattr(place, name, Elsewhere)
        monkeypatch.setitem(sys.modules, place.__name__, place)
    methods = Elsewhere.urlopen, Elsewhere._request
    yield Elsewhere("h.example")
    assert (Elsewhere.urlopen, Elsewhere._request) == methods


@pytest.mark.anyio
async def test_calls_to_models_by_other_libraries_are_told_of(elsewhere):
    told = []
    with covered(Cover(), lambda *call: told.append(call)):
        assert elsewhere.urlopen("POST", "/v1/chat/completions", body="b") == "POST /v1/chat/completions b"
        url = "https://g.example/v1beta/models/m:generateContent?alt=sse"
        assert await elsewhere._request("POST", url, data=1) == f"POST {url} {{'data': 1}}"
        elsewhere.urlopen("GET", "/v1/chat/completions")
        elsewhere.urlopen("POST", "/telemetry")
    assert told == [
        ("urllib3", "h.example", "/v1/chat/completions"),
        ("aiohttp", "g.example", "/v1beta/models/m:generateContent"),
    ]
    elsewhere.urlopen("POST", "/v1/chat/completions")
    assert len(told) == 2


def test_a_call_by_another_library_can_be_refused(elsewhere):
    def refuse(*call):
        raise PermissionError(call)

    with covered(Cover(), refuse), pytest.raises(PermissionError):
        elsewhere.urlopen("POST", "/v1/messages")


def test_sessions_tell_of_calls_by_other_libraries(elsewhere, tmp_path, caplog):
    with harness.record(tmp_path / "a.jsonl", everywhere=True) as session:
        for _ in range(2):
            elsewhere.urlopen("POST", "/v1/messages")
    assert len(session.errors) == len(caplog.records) == 1
    assert session.errors[0].startswith("calls by urllib3 are not recorded, such as /v1/messages of h.example: ")
    with (
        pytest.raises(NetworkRefused, match=r"h\.example was asked for .*by urllib3, which is not answered"),
        harness.replay(tmp_path / "a.jsonl", mode="replay", everywhere=True),
    ):
        elsewhere.urlopen("POST", "/v1/messages")
