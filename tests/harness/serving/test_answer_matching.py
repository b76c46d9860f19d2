"""The replay server: which recorded call answers a request, and what is told where none does."""

from __future__ import annotations

import asyncio
import json

import pytest

from harness.replaying.matching import MatchRules
from harness.serving.answer import same_endpoint
from tests.harness.serving.kit import CHAT, ask, prompt, recording, replaying
from tests.loopback import Exchange

pytestmark = pytest.mark.anyio


async def stream(exchange: Exchange) -> None:
    await exchange.whole(b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')


async def counting(exchange: Exchange) -> None:
    exchange.server.count = getattr(exchange.server, "count", 0) + 1
    await exchange.whole(b"%d" % exchange.server.count, content_type="text/plain")


MISSES = [
    ("openai", CHAT, {}, lambda body: (body["error"]["type"], body["error"]["code"], body["error"]["message"]),
     ("invalid_request_error", "replay_mismatch")),
    ("anthropic", "/anthropic/v1/messages", {},
     lambda body: (body["type"], body["error"]["type"], body["error"]["message"]),
     ("error", "invalid_request_error")),
    ("gemini", "/gemini/v1beta/models/m:streamGenerateContent?alt=sse", {},
     lambda body: (body["error"]["code"], body["error"]["status"], body["error"]["message"]),
     (400, "INVALID_ARGUMENT")),
]  # fmt: skip


@pytest.mark.parametrize(("path", "headers", "parts", "expected"), [m[1:] for m in MISSES], ids=[m[0] for m in MISSES])
async def test_a_miss_names_the_field_in_the_shape_of_the_provider(tmp_path, path, headers, parts, expected):
    missed = []
    async with recording(tmp_path / "r.jsonl", stream) as proxy:
        await ask(proxy.url, path, json=prompt(), headers=headers)
    async with replaying(tmp_path / "r.jsonl", on_miss=missed.append) as server:
        got = await ask(server.url, path, json=prompt("changed"), headers=headers)
        assert server.app.misses == missed
        assert [call.number for call in server.app.unused] == [0]
    assert got.status == 400
    assert got.header("x-should-retry") == "false"
    *found, message = parts(json.loads(got.body))
    assert tuple(found) == expected
    assert 'messages[0].content: recorded "hi", sent "changed"' in message
    assert "the nearest is call 0" in message
    assert "harness record" in message
    assert missed == [message]


async def test_a_miss_lists_a_bounded_number_of_differences(tmp_path):
    async with recording(tmp_path / "r.jsonl", stream) as proxy:
        await ask(proxy.url, json={"model": "m", "messages": [str(n) for n in range(50)]})
    async with replaying(tmp_path / "r.jsonl") as server:
        got = await ask(server.url, json={"model": "m", "messages": [str(-n) for n in range(1, 51)]})
    message = json.loads(got.body)["error"]["message"]
    assert message.count("messages[") == 20
    assert "and 30 more" in message


async def test_case_55_an_answer_is_only_for_its_own_request(tmp_path):
    async with recording(tmp_path / "r.jsonl", stream) as proxy:
        await ask(proxy.url, json={"model": "m", "messages": [{"role": "user", "content": "A"}], "stream": True})
    async with replaying(tmp_path / "r.jsonl", repeat=True) as server:
        same = {"stream": True, "messages": [{"content": "A", "role": "user"}], "model": "m"}
        assert (await ask(server.url, json=same)).status == 200
        for body, named in (({**same, "model": "m2"}, b"model"), ({**same, "messages": []}, b"messages[0]")):
            got = await ask(server.url, json=body)
            assert (got.status, named in got.body) == (400, True)
        assert (await ask(server.url, content=b"")).status == 400
        got = await ask(server.url, CHAT + "?x=1", json=same)
        assert (got.status, b"query.x" in got.body) == (400, True)


async def test_identical_calls_answer_in_order_and_are_used_up(tmp_path):
    async with recording(tmp_path / "r.jsonl", counting) as proxy:
        for _ in range(2):
            await ask(proxy.url)
    async with replaying(tmp_path / "r.jsonl") as server:
        assert [(await ask(server.url)).body for _ in range(2)] == [b"1", b"2"]
        got = await ask(server.url)
        assert (got.status, b"all recorded calls are used" in got.body) == (400, True)
    async with replaying(tmp_path / "r.jsonl", repeat=True) as server:
        assert [(await ask(server.url)).body for _ in range(5)] == [b"1", b"2", b"1", b"2", b"1"]


async def test_several_recordings_answer_together(tmp_path):
    for name in ("a", "b"):
        async with recording(tmp_path / f"{name}.jsonl", counting) as proxy:
            await ask(proxy.url, json=prompt(name))
    async with replaying(tmp_path / "b.jsonl", tmp_path / "a.jsonl") as server:
        found = await asyncio.gather(*(ask(server.url, json=prompt(name)) for name in ("a", "b")))
        assert ([got.body for got in found], server.app.unused) == ([b"1", b"1"], [])


@pytest.mark.parametrize(
    ("recorded", "asked"),
    [("/openrouter/api/v1/chat/completions", "/v1/chat/completions"), (CHAT, "/v1/chat/completions"),
     (CHAT, "/openrouter/api/v1/chat/completions"), ("/perplexity/chat/completions", "/chat/completions"),
     ("/gemini/v1beta/models/m:generateContent", "/gemini/v1beta/models/m:generateContent?key=other")],
)  # fmt: skip
async def test_the_base_url_is_no_part_of_a_call(tmp_path, recorded, asked):
    async with recording(tmp_path / "r.jsonl", counting) as proxy:
        await ask(proxy.url, recorded)
    async with replaying(tmp_path / "r.jsonl") as server:
        assert (await ask(server.url, asked)).status == 200


async def test_another_version_of_an_api_is_another_call(tmp_path):
    async with recording(tmp_path / "r.jsonl", counting) as proxy:
        await ask(proxy.url, "/gemini/v1beta/models/m:generateContent")
    async with replaying(tmp_path / "r.jsonl") as server:
        assert (await ask(server.url, "/gemini/v1/models/m:generateContent")).status == 400


async def test_rules_let_fields_differ(tmp_path):
    async with recording(tmp_path / "r.jsonl", counting) as proxy:
        await ask(proxy.url, json={**prompt(), "user": "one", "prompt_cache_key": "a"})
    async with replaying(tmp_path / "r.jsonl", rules=MatchRules(ignore=("user",))) as server:
        got = await ask(server.url, json={**prompt(), "user": "two", "prompt_cache_key": "b"})
    assert got.status == 200


async def test_models_and_counts_are_answered_without_a_recorded_call(tmp_path):
    async with recording(tmp_path / "r.jsonl", counting) as proxy:
        await ask(proxy.url)
    async with replaying(tmp_path / "r.jsonl") as server:
        models = json.loads((await ask(server.url, "/openai/v1/models", method="GET")).body)
        count = await ask(server.url, "/anthropic/v1/messages/count_tokens", json=prompt())
        assert server.app.misses == []
    assert [model["id"] for model in models["data"]] == ["tiny"]
    assert json.loads(count.body)["input_tokens"] > 0


async def test_a_recorded_list_of_models_comes_first(tmp_path):
    async with recording(tmp_path / "r.jsonl", counting) as proxy:
        await ask(proxy.url, "/openai/v1/models", method="GET")
    async with replaying(tmp_path / "r.jsonl") as server:
        first = await ask(server.url, "/openai/v1/models", method="GET")
        second = await ask(server.url, "/openai/v1/models", method="GET")
    assert first.body == b"1"
    assert json.loads(second.body) == {"object": "list", "data": []}


async def test_a_websocket_is_refused(tmp_path):
    async with recording(tmp_path / "r.jsonl", counting) as proxy:
        await ask(proxy.url)
    async with replaying(tmp_path / "r.jsonl") as server:
        headers = {"connection": "upgrade", "upgrade": "websocket"}
        assert (await ask(server.url, "/openai/v1/responses", method="GET", headers=headers)).status == 426
        assert server.app.misses == []


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("/v1/chat/completions", "/api/v1/chat/completions", True),
        ("/v1/chat/completions", "/v1/responses", False),
        ("/v1/models/m:generateContent", "/v1beta/models/m:generateContent", False),
        ("/openai/chat/completions", "/v1/chat/completions", True),
        ("/v1/chat/completions", "/openai/chat/completions", True),
        ("/chat/completions", "/openai/chat/completions", True),
        ("/v1/messages", "/v1/threads/t/messages", False),
        ("/v1/messages", "/threads/messages2", False),
    ],
)
def test_paths_of_one_endpoint(one, other, same):
    assert same_endpoint(one, other) is same
    assert same_endpoint(other, one) is same
