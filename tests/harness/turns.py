"""The turns that recordings are tested with: how a turn may go, and where its reader may leave it."""

from __future__ import annotations

from agent.events import DecodeOptions, Text, ToolCall
from agent.loop_types import Limits
from agent.messages import assistant, note, tool_result, user
from tests.harness.sessions import LOOK, Turn, chat, failure, fixture, frames
from tests.harness.transports import WAIT, Reply

IN_STREAM = {"error": {"message": "busy", "type": "overloaded_error", "code": 503}}
PAUSED = frames(
    {"type": "message_start", "message": {"model": "c", "usage": {"input_tokens": 3, "output_tokens": 1}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "wait"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "pause_turn"}, "usage": {"output_tokens": 4}},
    {"type": "message_stop"},
)
EARLIER = [
    user("before"),
    note("local"),
    assistant([Text("I look"), ToolCall("c0", "look", {"at": "y"})], "openai-chat"),
    tool_result(ToolCall("c0", "look", {}), "was seen"),
    assistant([Text("ok")], "openai-chat"),
]
LOOKS = chat("I look. ", calls=[LOOK])
ANSWER = chat("Hel", "lo")

TURNS = {
    "text": Turn([ANSWER]),
    "params": Turn([ANSWER], params={"temperature": 0.5, "max_tokens": 9}),
    "history": Turn([ANSWER], history=EARLIER),
    "tool": Turn([LOOKS, ANSWER]),
    "parallel": Turn([chat(calls=[LOOK, ("c2", "list", "{}")]), ANSWER], tools={"look": "seen", "list": "a\nb"}),
    "same id twice": Turn([chat(calls=[LOOK, ("c1", "look", "{}")]), ANSWER], tools={"look": lambda c: f"{c.input}"}),
    "several rounds": Turn([LOOKS, chat(calls=[("c2", "look", '{"at":"z"}')]), ANSWER]),
    "empty arguments": Turn([chat(calls=[("c1", "look", "")]), ANSWER]),
    "crash": Turn([LOOKS, ANSWER], tools={"look": ValueError("broke")}),
    "unknown tool": Turn([chat(calls=[("c1", "shell", "{}"), ("c2", "nope", "{}")]), ANSWER]),
    "unparsed": Turn([chat(calls=[("c1", "look", '{"a":')]), ANSWER]),
    "output that cannot be encoded": Turn([LOOKS, ANSWER], tools={"look": "a\ud83d\ude00b\ud800"}),
    "capped": Turn([LOOKS, ANSWER], tools={"look": "x" * 900}, limits=Limits(max_result_chars=300)),
    "trimmed": Turn(
        [LOOKS, *[chat(calls=[(f"c{i}", "look", f'{{"at":"{i}"}}')]) for i in range(4)], ANSWER],
        tools={"look": "x" * 400}, limits=Limits(max_request_chars=1600, keep_tail=2),
    ),
    "does not fit": Turn([ANSWER], input="x" * 500, limits=Limits(max_request_chars=200)),
    "max iterations": Turn([LOOKS, LOOKS], limits=Limits(max_iterations=2, max_repeats=0)),
    "repeated call": Turn([LOOKS, LOOKS, LOOKS]),
    "retry after 429": Turn([failure(429, headers=(("retry-after", "7"),)), failure(503), LOOKS, failure(500), ANSWER]),
    "too long to wait": Turn([failure(429, headers=(("retry-after", "700"),))]),
    "retries run out": Turn([failure(500)] * 3, limits=Limits(max_retries=2)),
    "400": Turn([failure(400)]),
    "401": Turn([failure(401)]),
    "context overflow": Turn([failure(413)]),
    "html": Turn([Reply([b"<html><title>Login</title></html>"], content_type="text/html")] * 4),
    "no response": Turn([Reply(refused=("ConnectError", "All connection attempts failed"))] * 4),
    "time-out, then an answer": Turn([Reply(refused=("ReadTimeout", "")), ANSWER]),
    "odd exception": Turn([Reply(refused=("ConnectionResetError", "[Errno 104] reset")), ANSWER]),
    "in-stream error before output": Turn([Reply(frames(IN_STREAM)), ANSWER]),
    "in-stream error after output": Turn([Reply([*chat("Hel", finish=None).chunks, *frames(IN_STREAM)])]),
    "reset before output": Turn([Reply(end=("ReadError", "reset")), ANSWER]),
    "reset after output": Turn([chat("Hel", finish=None, end=("ReadError", "reset"))]),
    "truncated": Turn([chat("Hel", finish=None)]),
    "truncated in a call": Turn([chat(calls=[("c1", "look", '{"at":')], finish=None, end=("ReadTimeout", ""))]),
    "length with calls": Turn([chat(calls=[LOOK], finish="length")]),
    "content filter": Turn([chat("no", finish="content_filter")]),
    "not streamed": Turn(
        [Reply([b'{"model":"m","choices":[{"message":{"content":"hi"},', b'"finish_reason":"stop"}]}'],
               content_type="application/json")]
    ),
    "empty body": Turn([Reply(), Reply(content_type=None), ANSWER]),
    "pause": Turn([Reply(PAUSED), fixture("anthropic/session-answer")], provider="anthropic"),
    "anthropic": Turn(
        [fixture("anthropic/session-overloaded"), fixture("anthropic/session-edit"),
         fixture("anthropic/session-answer")],
        provider="anthropic", tools={"edit_file": "done"},
    ),
    "gemini": Turn(
        [fixture("gemini/session-parallel"), fixture("gemini/session-answer")],
        provider="gemini", tools={"read_file": "text", "list_dir": "a"},
    ),
    "responses": Turn(
        [fixture(f"openai-responses/session-{name}") for name in ("list", "read", "search", "answer")],
        provider="openai-responses", tools={"list_dir": "a", "read_file": "b", "search": "c"},
    ),
    "think tags": Turn([chat("<think>", "why</think>", "so")], options=DecodeOptions(think_tags=True)),
    "unknown provider": Turn([LOOKS, ANSWER], provider="llamacpp"),
}  # fmt: skip

LEFT = {
    "before the first pull": Turn([ANSWER], leave=0),
    "between deltas": Turn([ANSWER], leave=1),
    "after the text": Turn([ANSWER], leave=2),
    "before the call runs": Turn([LOOKS, ANSWER], leave=2),
    "after the result": Turn([LOOKS, ANSWER], leave=3),
    "after the next delta": Turn([LOOKS, ANSWER], leave=4),
    "after finish": Turn([ANSWER], leave=3),
    "after a result that was cut": TURNS["capped"].but(leave=3),
    "after the notice of it": TURNS["capped"].but(leave=4),
    "between results": Turn([chat(calls=[LOOK, ("c2", "look", "{}")]), ANSWER], leave=3),
    "waiting for a chunk": Turn([chat("Hel", finish=None, end=WAIT)], leave=1, pulling=True),
    "waiting for the first chunk": Turn([Reply(end=WAIT)], leave=0, pulling=True),
    "waiting for a response": Turn([Reply(refused=WAIT)], leave=0, pulling=True),
    "waiting in a later call": Turn([LOOKS, chat("a", finish=None, end=WAIT)], leave=4, pulling=True),
    "waiting for eof after the end mark": Turn([chat("Hel", end=WAIT)], leave=1, pulling=True),
    "waiting for eof, then a tool": Turn([chat(calls=[LOOK], end=WAIT)], leave=1, pulling=True),
    "in a tool": Turn([LOOKS, ANSWER], tools={"look": WAIT}, leave=2, pulling=True),
    "in the second tool": Turn(
        [chat(calls=[LOOK, ("c2", "list", "{}")])], tools={"look": "a", "list": WAIT}, leave=3, pulling=True
    ),
    "in backoff": Turn([failure(429)], leave=1, pulling=True, sleeps=False),
    "in a later backoff": Turn([LOOKS, failure(500)], leave=4, pulling=True, sleeps=False),
    "waiting inside a frame": Turn([Reply([b'data: {"choices":[{"del'], end=WAIT)], leave=0, pulling=True),
}
