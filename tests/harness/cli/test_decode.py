"""`harness decode`: every fixture, every option, pipes, odd input."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from agent.providers import WIRES
from agent.sse import SSEDecoder
from tests.command import harness, started
from tests.harness.cli.cli import call, lines_of, refusal

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"
STREAMS = sorted(path for wire in WIRES for path in (FIXTURES / wire).glob("*.*") if path.suffix in (".sse", ".body"))
ENDS = {("eof", None): "eof", ("error", "ReadError"): "reset", ("error", "ReadTimeout"): "timeout"}
TEXT = FIXTURES / "openai-chat" / "text-and-usage.sse"
HALF = b'data: {"choices":[{"delta":{"content":"Hel"}}]}\n\ndata: {"choices":[{"delta":{"content":"lo"}}]'


def expectation(path):
    return json.loads(path.with_name(f"{path.stem}.expect.json").read_text("utf-8"))


def plain(events):
    """Without what depends on how the end is worded."""
    return [{name: value for name, value in event.items() if name != "message"} for event in events]


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_fixture(path):
    expect = expectation(path)
    end = expect.get("end", {"kind": "eof"})
    options = expect.get("options", {})
    known = ENDS.get((end["kind"], end.get("error_class")))
    if known is None or set(options) - {"think_tags"} or expect.get("headers"):
        pytest.skip("the command has no option for how this call ends, or for its headers")
    args = ["--wire", expect["wire"], "--status", expect["status"], "--content-type", expect["content_type"]]
    args += ["--end", known, *(["--think-tags"] if options.get("think_tags") else [])]
    for chunk in ([], ["--chunk", 7]):
        result = call("decode", *args, *chunk, path)
        assert result.exit_code == 0
        assert plain(lines_of(result.stdout)) == plain(expect["events"])


def test_the_first_byte_tells_a_body_from_a_stream():
    for path in (FIXTURES / "openai-chat" / "body.body", TEXT):
        result = call("decode", "--wire", "openai-chat", path)
        assert lines_of(result.stdout) == expectation(path)["events"]


def test_an_error_status():
    result = call("decode", "--wire", "openai-chat", "--status", 429, "-", stdin='{"error": {"message": "slow down"}}')
    error, usage = lines_of(result.stdout)
    assert (result.exit_code, error["kind"], error["message"]) == (0, "rate_limit", "Provider HTTP 429: slow down")
    assert usage["stop_reason"] == "error"


@pytest.mark.parametrize(("end", "word"), [("eof", "ended"), ("reset", "connection reset"), ("timeout", "no data")])
def test_how_the_response_ends(end, word):
    result = call("decode", "--wire", "openai-chat", "--end", end, "-", stdin=HALF)
    text, error, usage = lines_of(result.stdout)
    assert (result.exit_code, text["text"], error["kind"]) == (0, "Hel", "truncated_stream")
    assert word in error["message"]
    assert usage["complete"] is False


@pytest.mark.parametrize("wire", WIRES)
def test_nothing_at_all(wire):
    error, usage = lines_of(call("decode", "--wire", wire, "-", stdin=b"").stdout)
    assert (error["type"], usage["type"], usage["complete"]) == ("error", "usage", False)


def test_raw_frames_need_no_wire():
    result = call("decode", "--raw", "-", stdin=b"event: a\nid: 7\ndata: 1\ndata: 2\n\n: ping\n\ndata: {}")
    assert lines_of(result.stdout) == [
        {"event": "a", "data": "1\n2", "id": "7", "unterminated": False},
        {"event": None, "data": None, "id": "7", "unterminated": False},
        {"event": "message", "data": "{}", "id": "7", "unterminated": True},
    ]


@pytest.mark.parametrize(
    "path", [path for path in STREAMS if path.suffix == ".sse"], ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_raw_frames_of_a_fixture(path):
    frames = lines_of(call("decode", "--raw", "--content-type", "text/event-stream", path).stdout)
    decoder = SSEDecoder()
    expected = [*decoder.feed(path.read_bytes()), *decoder.flush()]
    assert [frame["data"] for frame in frames] == [
        None if frame.data is None else frame.data.decode("utf-8", "replace") for frame in expected
    ]


def test_strict_drops_the_unterminated_frame():
    first, last = lines_of(call("decode", "--raw", "--strict", "-", stdin=b"data: 1\n\ndata: {}").stdout)
    assert (first["data"], last["data"], last["unterminated"]) == ("1", None, True)
    whole = HALF + b"}\n"
    loose = lines_of(call("decode", "--wire", "openai-chat", "-", stdin=whole).stdout)
    strict = lines_of(call("decode", "--wire", "openai-chat", "--strict", "-", stdin=whole).stdout)
    assert [event["text"] for event in loose if event["type"] == "text"] == ["Hel", "lo"]
    assert [event["text"] for event in strict if event["type"] == "text"] == ["Hel"]


def test_raw_of_a_body_says_why_there_are_no_frames():
    result = call("decode", "--raw", "-", stdin=b'{"choices": []}')
    assert (result.exit_code, result.stdout) == (0, "")
    assert "no event stream" in result.stderr


def test_what_gave_no_event_is_told():
    path = FIXTURES / "openai-chat" / "unknown-and-malformed.sse"
    result = call("decode", "--wire", "openai-chat", path)
    assert result.stderr.splitlines() == [
        "harness: data blocks that are no JSON object, skipped: 2",
        "harness: unknown to the adapter: ping (1)",
    ]


@pytest.mark.parametrize("chunk", [[], ["--chunk", 100_000]], ids=["as-read", "chunks"])
def test_one_huge_event(chunk):
    text = "x" * 8_000_000
    body = b'data: {"choices":[{"delta":{"content":"%b"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n' % text.encode()
    first, usage = lines_of(call("decode", "--wire", "openai-chat", *chunk, "-", stdin=body).stdout)
    assert first["text"] == text
    assert usage["complete"] is True


def test_many_events():
    frame = b'data: {"choices":[{"delta":{"content":"a"}}]}\n\n'
    events = lines_of(call("decode", "--wire", "openai-chat", "-", stdin=frame * 20_000 + b"data: [DONE]\n\n").stdout)
    assert len(events) == 20_001


def test_a_frame_past_the_limit():
    body = b"data: {}\n\ndata: " + b"x" * (33 * 2**20)
    result = call("decode", "--wire", "openai-chat", "-", stdin=body)
    assert [event.get("kind") for event in lines_of(result.stdout)] == ["frame_too_large", None]
    result = call("decode", "--raw", "-", stdin=body)
    assert len(lines_of(result.stdout)) == 1
    assert "longer than 32 MiB" in result.stderr


@pytest.mark.parametrize("body", [b"\x00\xff\xfe" * 50, b"\xff\xd8\xff\xe0" * 9, b"<html>no</html>", b"\n\n\n", b"{"])
@pytest.mark.parametrize("wire", WIRES)
def test_what_is_no_response(wire, body):
    result = call("decode", "--wire", wire, "-", stdin=body)
    assert result.exit_code == 0
    assert lines_of(result.stdout)[-1]["type"] == "usage"


def test_misuse(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "no wire format" in refusal("decode", "-", stdin=b"")
    assert "no-such-file" in refusal("decode", "--wire", "gemini", "no-such-file")
    assert "Is a directory" in refusal("decode", "--wire", "gemini", ".")
    assert "'openai-chat'" in refusal("decode", "--wire", "gpt", "-", stdin=b"")
    assert "FILE" in refusal("decode", "--wire", "gemini")
    assert "--chunk" in refusal("decode", "--wire", "gemini", "--chunk", "0", "-", stdin=b"")


def test_events_come_while_the_pipe_is_open(tmp_path):
    """As `curl -N ... | harness decode`."""
    first, second = HALF.split(b"\n\n")
    with started("decode", "--wire", "openai-chat", "-", cwd=tmp_path, bufsize=0) as process:
        process.stdin.write(first + b"\n\n" + second)
        assert json.loads(process.stdout.readline()) == {"type": "text", "text": "Hel"}
        process.stdin.write(b"}\n\n")
        assert json.loads(process.stdout.readline()) == {"type": "text", "text": "lo"}
        process.stdin.close()
        assert len(process.stdout.read().splitlines()) == 2
        assert process.wait(20) == 0


@pytest.mark.parametrize(("size", "expected"), [(None, [b"abcd", b"efghi", b"jk"]), (4, [b"abcd", b"efgh", b"ijk"])])
def test_chunks_of_a_pipe(size, expected):
    from harness.cli.decode import _chunks

    class Pipe(io.RawIOBase):
        reads = iter([b"abcd", b"efghi", b"jk", b""])

        def readable(self):
            return True

        def readinto(self, buffer):
            data = next(self.reads)
            buffer[: len(data)] = data
            return len(data)

    Pipe.reads = iter([b"abcd", b"efghi", b"jk", b""])
    assert list(_chunks(io.BufferedReader(Pipe()), size)) == expected


def test_a_reader_that_has_gone(tmp_path):
    path = tmp_path / "long.sse"
    path.write_bytes(b'data: {"choices":[{"delta":{"content":"a"}}]}\n\n' * 5000)
    with started("decode", "--wire", "openai-chat", path, cwd=tmp_path) as process:
        assert process.stdout.readline() == b'{"type":"text","text":"a"}\n'
        process.stdout.close()
        assert (process.wait(20), process.stderr.read()) == (1, b"")


def test_the_example_of_the_help(tmp_path):
    path = tmp_path / "stream.sse"
    path.write_bytes(TEXT.read_bytes())
    done = harness("decode", "--wire", "openai-chat", "stream.sse", cwd=tmp_path)
    assert [event["type"] for event in lines_of(done.stdout)] == ["text", "text", "usage"]
