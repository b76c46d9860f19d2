"""`harness.record` and `harness.replay`: clients of both families, sync and async, over real sockets."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

import pytest

import harness
from harness.clients.modes import VARIABLE
from harness.errors import ConfigError, NetworkRefused, RecordingError, ReplayMismatch
from harness.pytest_plugin.closed_network import closed_network
from tests.harness.transports import family
from tests.loopback import serve
from tests.scripted import Answer, fixture, scripted
from tests.threads import in_thread

FAMILIES = ("httpx", "httpx2")
BODY = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": True}
PATH = "/v1/chat/completions"


@pytest.fixture(autouse=True)
def alone(tmp_path, monkeypatch):
    """A folder without configuration, and an environment without modes."""
    monkeypatch.chdir(tmp_path)
    for name in ("CI", VARIABLE):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def answer():
    return fixture("openai-chat/tool-parallel.sse")


@pytest.mark.parametrize("name", FAMILIES)
def test_sync(name, answer):
    family(name)
    with scripted([answer]) as server, harness.record("a.jsonl") as session:
        client = session.client(name, base_url=server.url)
        with client.stream("POST", PATH, json=BODY) as response:
            chunks = list(response.iter_raw())
    assert client.is_closed
    with closed_network(), harness.replay("a.jsonl", strict=True) as session:
        client = session.client(name, base_url=server.url)
        with client.stream("POST", PATH, json=BODY) as response:
            assert list(response.iter_raw()) == chunks
    assert b"".join(chunks) == answer.body


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.anyio
async def test_async(name, answer):
    family(name)
    with scripted([answer]) as server:
        async with harness.record("a.jsonl") as session:
            client = session.async_client(name, base_url=server.url)
            async with client.stream("POST", PATH, json=BODY) as response:
                chunks = [chunk async for chunk in response.aiter_raw()]
        assert client.is_closed
    async with harness.replay("a.jsonl", strict=True) as session:
        client = session.async_client(name, base_url=server.url)
        async with client.stream("POST", PATH, json=BODY) as response:
            assert [chunk async for chunk in response.aiter_raw()] == chunks
    with pytest.raises(ReplayMismatch):
        async with harness.replay("a.jsonl") as session:
            await session.async_client(name).get("http://h/other")


@pytest.mark.parametrize("name", FAMILIES)
def test_everywhere_covers_clients_that_code_builds_for_itself(name, answer):
    module = family(name)
    with scripted([answer]) as server, harness.record("a.jsonl", everywhere=True):
        live = module.post(server.url + PATH, json=BODY).content
    with closed_network(), harness.replay("a.jsonl", everywhere=True, strict=True):
        assert module.post(server.url + PATH, json=BODY).content == live
    assert len(harness.open("a.jsonl").calls) == 1


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.anyio
async def test_everywhere_covers_async_clients(name, answer):
    module = family(name)
    with scripted([answer]) as server:
        async with harness.record("a.jsonl", everywhere=True), module.AsyncClient() as client:
            live = (await client.post(server.url + PATH, json=BODY)).content
    async with harness.replay("a.jsonl", everywhere=True, strict=True), module.AsyncClient() as client:
        assert (await client.post(server.url + PATH, json=BODY)).content == live


def test_a_session_client_under_everywhere_is_recorded_once(answer):
    with scripted([answer]) as server, harness.record("a.jsonl", everywhere=True) as session:
        session.client(base_url=server.url).post(PATH, json=BODY)
    assert len(harness.open("a.jsonl").calls) == 1


def test_redirects_are_calls_of_their_own():
    answers = [Answer(b"", 307, headers=(("location", "/v1/responses"),)), Answer(b'{"a":1}', 200, "application/json")]
    with scripted(answers) as server, harness.record("a.jsonl", everywhere=True) as session:
        assert session.client(base_url=server.url).post(PATH, json=BODY).json() == {"a": 1}
    assert [call.url.removeprefix(server.url) for call in harness.open("a.jsonl").calls] == [PATH, "/v1/responses"]
    with harness.replay("a.jsonl", strict=True) as session:
        assert session.client(base_url=server.url).post(PATH, json=BODY).json() == {"a": 1}


def test_the_client_is_an_ordinary_one():
    with harness.record("a.jsonl") as session:
        client = session.client(headers={"x": "y"}, verify=False, http2=False, limits=family("httpx").Limits())
        assert client.headers["x"] == "y"
        assert (client.timeout.read, client.timeout.connect) == (600, 10)
        assert session.client(timeout=3).timeout.read == 3
        with pytest.raises(TypeError):
            session.client(nonsense=1)
        with pytest.raises(ValueError, match="unknown family 'requests'; known are httpx, httpx2"):
            session.client("requests")


def test_a_transport_for_a_client_built_by_hand(answer):
    lib = family("httpx")
    with scripted([answer]) as server, harness.record("a.jsonl") as session:
        client = lib.Client(transport=session.transport())
        client.post(server.url + PATH, json=BODY)
        client.close()
    with harness.replay("a.jsonl", strict=True) as session, lib.Client(transport=session.transport()) as client:
        client.post(server.url + PATH, json=BODY)


def test_the_mode_may_come_from_outside(answer, monkeypatch):
    monkeypatch.setenv(VARIABLE, "record")
    with scripted([answer]) as server, harness.replay("a.jsonl") as session:
        session.client(base_url=server.url).post(PATH, json=BODY)
    monkeypatch.setenv("CI", "true")
    with harness.replay("a.jsonl", mode="record") as session:
        assert session.mode == "replay"
        session.client(base_url=server.url).post(PATH, json=BODY)
    monkeypatch.delenv("CI")
    with pytest.raises(ValueError, match="unknown record mode"):
        harness.replay("a.jsonl", mode="nonsense")


def test_the_configuration_of_the_folder_holds(tmp_path, answer):
    (tmp_path / "pyproject.toml").write_text(
        '[tool.harness]\nignore = ["user"]\nnormalizers = ["dates"]\n'
        '[[tool.harness.redact]]\nname = "c"\npattern = "CUST-[0-9]+"\n'
    )
    body = {**BODY, "user": "a", "messages": [{"role": "user", "content": "CUST-1 on 2026-01-01"}]}
    with scripted([answer]) as server, harness.record("a.jsonl") as session:
        session.client(base_url=server.url).post(PATH, json=body)
    assert "CUST-1" not in (tmp_path / "a.jsonl").read_text()
    other = {**body, "user": "b", "messages": [{"role": "user", "content": "CUST-2 on 2026-02-02"}]}
    with harness.replay("a.jsonl") as session:
        session.client(base_url=server.url).post(PATH, json=other)


def test_errors_before_the_block(tmp_path, monkeypatch):
    with pytest.raises(RecordingError, match="there is no such recording"), harness.replay("a.jsonl"):
        pass
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    (tmp_path / "project" / "pyproject.toml").write_text("[tool.harness]\nnope = 1\n")
    with pytest.raises(ConfigError):
        harness.record("a.jsonl")


def many(exchange):
    """Answers with what was asked for, each number a little later than the next."""

    async def handle():
        number = json.loads(exchange.body)["n"]
        await exchange.head()
        for part in range(3):
            await asyncio.sleep(0.002 * (number % 5))
            await exchange.send(f'data: {{"n":{number},"part":{part}}}\n\n'.encode())

    return handle()


def test_32_concurrent_threads():
    with in_thread(serve(many)) as server, harness.record("a.jsonl") as session:
        client = session.client(base_url=server.url)
        live = concurrent(client)
    with harness.replay("a.jsonl", strict=True) as session:
        assert concurrent(session.client(base_url=server.url)) == live
    assert not session.errors


def concurrent(client):
    with ThreadPoolExecutor(32) as pool:
        return list(pool.map(lambda n: client.post(PATH, json={"n": n}).text, range(32)))


@pytest.mark.anyio
@pytest.mark.parametrize("name", FAMILIES)
async def test_32_concurrent_tasks(name):
    async def ask(client, n):
        return (await client.post(PATH, json={"n": n})).text

    with in_thread(serve(many)) as server:
        async with harness.record("a.jsonl") as session:
            client = session.async_client(name, base_url=server.url)
            live = await asyncio.gather(*(ask(client, n) for n in range(32)))
    async with harness.replay("a.jsonl", strict=True) as session:
        client = session.async_client(name, base_url=server.url)
        again = await asyncio.gather(*(ask(client, n) for n in reversed(range(32))))
    assert again[::-1] == live


def test_gzip_answers():
    async def handle(exchange):
        await exchange.gzipped(b'data: {"a":1}\n\n')

    with in_thread(serve(handle)) as server, harness.record("a.jsonl") as session:
        live = session.client(base_url=server.url).post(PATH, json=BODY)
    with harness.replay("a.jsonl", strict=True) as session:
        again = session.client(base_url=server.url).post(PATH, json=BODY)
    assert again.content == live.content == b'data: {"a":1}\n\n'
    assert "content-encoding" not in again.headers


def test_a_replay_never_reaches_the_network():
    with scripted([]) as server, harness.record("a.jsonl"):
        pass
    with pytest.raises(ReplayMismatch), harness.replay("a.jsonl", everywhere=True) as session:
        session.client().get(server.url)
    assert server.exchanges == []
    with closed_network(), pytest.raises(NetworkRefused), harness.record("b.jsonl") as session:
        session.client().get("https://api.example")
