from __future__ import annotations

import json

import pytest

import harness
from agent.events import DecodeOptions, End
from harness.errors import HarnessError
from harness.recording.contents import Call, Request, Response
from harness.sweep.streams import find_inputs, make_stream, read_fixture, stream_of_call
from tests.harness.sweep.swept import FIXTURES, ROOT, SSE, chat


def test_pieces_are_the_body():
    body = b"\xef\xbb\xbf: hi\r\n\r\ndata: 1\r\n\r\ndata: 2"
    stream = make_stream("openai-chat", body, SSE)
    assert (stream.framed, stream.body, len(stream.pieces)) == (True, body, 3)
    assert make_stream("openai-chat", b'{"a": 1}', SSE).pieces == (b'{"a": 1}',)


def test_an_http_error_is_one_piece_whatever_its_form():
    stream = make_stream("openai-chat", b'data: {"error": 1}\n\n', SSE, status=500)
    assert (stream.framed, len(stream.pieces)) == (False, 1)


def test_a_recorded_call():
    call = harness.open(ROOT / "recordings" / "anthropic-tool-call.jsonl").calls[0]
    stream = stream_of_call(call)
    assert (stream.wire, stream.body, stream.call, len(stream.pieces)) == (
        "anthropic",
        call.body(),
        0,
        len(call.frames),
    )
    assert list(stream.expected) == call.events


@pytest.mark.parametrize(
    ("wire", "response", "why"),
    [
        ("anthropic", None, "no response came"),
        ("other", Response(200, []), "wire format"),
        (None, Response(200, []), "wire format"),
        ("anthropic", Response(200, [("content-encoding", "br")]), "still encoded (br)"),
    ],
)
def test_a_call_that_cannot_be_swept(wire, response, why):
    call = Call(3, Request("POST", "/", [], {}, {"wire": wire}), 0.0, response)
    assert why in stream_of_call(call)


def test_a_fixture():
    stream = read_fixture(FIXTURES / "openai-chat" / "http-429.body")
    assert (stream.wire, stream.status, stream.framed) == ("openai-chat", 429, False)
    assert stream.expected[0]["kind"] == "rate_limit"


def test_all_that_an_expectation_may_say(tmp_path):
    path = tmp_path / "x.sse"
    path.write_bytes(chat({"content": "a"}).body)
    expect = {"wire": "openai-chat", "status": 200, "content_type": "text/event-stream", "events": []}
    more = {"end": {"kind": "closed"}, "options": {"think_tags": True}, "headers": [["x-a", "b"]]}
    path.with_name("x.expect.json").write_text(json.dumps(expect | more))
    stream = read_fixture(path)
    assert (stream.end, stream.options) == (End("closed"), DecodeOptions(think_tags=True))
    assert stream.headers == (("x-a", "b"), ("content-type", "text/event-stream"))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "cannot be read"), ("{", "x.expect.json"), ("[]", "x.expect.json"), ("{}", "'wire' is missing"),
        ('{"wire": "smoke"}', "none of openai-chat"), ('{"wire": "gemini", "end": {"what": 1}}', "x.expect.json"),
    ],
)  # fmt: skip
def test_an_expectation_that_cannot_be_used(tmp_path, text, why):
    path = tmp_path / "x.sse"
    path.write_bytes(b"")
    if text is not None:
        path.with_name("x.expect.json").write_text(text)
    with pytest.raises(HarnessError) as caught:
        read_fixture(path)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


def test_inputs_of_folders_files_and_globs(tmp_path):
    for name in ("b.jsonl", "a.sse", "a.expect.json", "c.jsonl.gz", "d.body", "README.md"):
        (tmp_path / name).write_bytes(b"")
    names = [path.name for path in find_inputs([str(tmp_path), str(tmp_path / "*.sse")])]
    assert names == ["a.sse", "b.jsonl", "c.jsonl.gz", "d.body"]
    with pytest.raises(HarnessError, match="no recording"):
        find_inputs([str(tmp_path / "README.md")])
    with pytest.raises(HarnessError, match="no such file"):
        find_inputs([str(tmp_path / "none")])
