from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
import yaml

import harness
from harness.errors import HarnessError
from harness.formats.exchange import write_recording
from harness.formats.vcr import is_one, read, target
from harness.redaction.redactor import Redactor
from tests.harness.transports import family
from tests.scripted import fixture

CASSETTES = Path(__file__).parent / "cassettes"
STREAM = fixture("openai-chat/tool-parallel.sse").body
BODY = fixture("openai-chat/body.body").body
QUESTION = {
    "messages": [{"role": "user", "content": "What is the weather in Oslo? 🌧"}], "model": "gpt-4.1", "stream": True,
}  # fmt: skip
URL = "http://127.0.0.1:18190/v1/chat/completions"


def imported(path, tmp_path):
    made = tmp_path / "a.jsonl"
    write_recording(made, read(path), source="import:vcr", task="t", redactor=Redactor(), force=False)
    return harness.open(made, strict=True)


@pytest.mark.parametrize("name", ["stream.yaml", "stream.json"])
def test_a_stream(name, tmp_path):
    recording = imported(CASSETTES / name, tmp_path)
    (call,) = recording.calls
    assert (call.method, call.url, call.request.body) == ("POST", URL, QUESTION)
    assert call.body() == STREAM
    assert [event["type"] for event in call.events] == ["tool_call", "tool_call", "usage"]
    assert call.complete
    assert (recording.header["source"], recording.header["task"]) == ("import:vcr", "t")
    assert recording.end["status"] == "ok"
    with harness.replay(recording.path, strict=True) as session:
        assert session.client().post(URL, json=QUESTION).content == STREAM


@pytest.mark.parametrize(("name", "encoding"), [("gzip.yaml", "gzip"), ("decoded.yaml", None)])
def test_a_coded_answer(name, encoding, tmp_path):
    recording = imported(CASSETTES / name, tmp_path)
    (call,) = recording.calls
    assert (call.body(), call.response.encoding) == (BODY, encoding)
    assert call.complete
    with harness.replay(recording.path, strict=True) as session:
        response = session.client().post(URL, json={**QUESTION, "stream": False})
        assert response.content == BODY
        assert "content-encoding" not in response.headers


def test_bytes(tmp_path):
    (call,) = imported(CASSETTES / "binary.yaml", tmp_path).calls
    assert call.request.body == call.body() == bytes(range(256))
    assert call.wire is None


def cassette(tmp_path, response, name="c.yaml", **request):
    request = {"method": "POST", "uri": URL, "headers": {}, "body": "{}", **request}
    path = tmp_path / name
    path.write_text(
        yaml.safe_dump({"version": 1, "interactions": [{"request": request, "response": response}]}, sort_keys=False)
    )
    return path


OK = {"code": 200, "message": "OK"}
FORMS = {
    "text": ({"status": OK, "headers": {}, "body": {"string": "é"}}, "é".encode()),
    "bytes": ({"status": OK, "headers": {}, "body": {"string": b"\xff"}}, b"\xff"),
    "base64": ({"status": OK, "body": {"base64_string": base64.b64encode(b"\xff").decode()}}, b"\xff"),
    "empty": ({"status": OK, "headers": {}, "body": {"string": ""}}, b""),
    "no body": ({"status": OK, "headers": None, "body": None}, b""),
    "parsed": ({"status": OK, "headers": {}, "parsed_body": {"b": [1], "a": "é"}}, '{"b":[1],"a":"é"}'.encode()),
    "of older httpx stubs": ({"status_code": 200, "http_version": "HTTP/1.1", "headers": {}, "content": "x"}, b"x"),
    "a coding that was undone": (
        {"status": OK, "headers": {"Content-Encoding": ["br"]}, "body": {"string": '{"a":1}'}}, b'{"a":1}',
    ),
}  # fmt: skip


@pytest.mark.parametrize(("response", "body"), FORMS.values(), ids=FORMS)
def test_forms_of_an_answer(response, body, tmp_path):
    path = cassette(tmp_path, response)
    assert is_one(path)
    (call,) = imported(path, tmp_path).calls
    assert call.body() == body
    with harness.replay(tmp_path / "a.jsonl", strict=True) as session:
        assert session.client().post(URL, content=b"{}").content == body


@pytest.mark.parametrize(
    ("request_body", "body"),
    [
        ({"body": '{"a":1}'}, {"a": 1}),
        ({"body": None}, b""),
        ({"body": {"a": 1}}, {"a": 1}),
        ({"body": None, "parsed_body": {"a": 1}}, {"a": 1}),
        ({"body": {"string": "x"}}, b"x"),
        ({"body": ["a", "b"]}, b"ab"),
    ],
)
def test_forms_of_a_request(request_body, body, tmp_path):
    path = cassette(tmp_path, {"status": OK, "headers": {}, "body": {"string": ""}}, **request_body)
    assert imported(path, tmp_path).calls[0].request.body == body


def test_tags_that_vcrpy_writes(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text(f"""
interactions:
- request:
    method: !!python/unicode POST
    uri: {URL}
    headers: {{x: !!python/tuple [a, b]}}
    body: !!python/object/new:_io.BytesIO
      state: !!python/tuple
      - !!binary {base64.b64encode(b'{"a":1}').decode()}
      - 0
      - null
  response: {{status: {{code: 200}}, headers: {{}}, body: {{string: x}}}}
- request:
    method: POST
    uri: {URL}
    headers: {{}}
    body: !!python/object/apply:builtins.iter
      args: [[!!binary YQ==, b]]
  response: {{status: {{code: 200}}, headers: {{}}, body: {{string: x}}}}
version: 1
""")
    assert [exchange.body for exchange in read(path)] == [b'{"a":1}', b"ab"]
    assert read(path)[0].headers == [("x", "a"), ("x", "b")]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: !!python/object/apply:os.system ['touch owned']", r"c\.yaml:1: cannot be read as YAML: could not"),
        ("a: [", r"c\.yaml:\d+: cannot be read as YAML: "),
        ("a: 1", "no cassette: it has no list of interactions"),
        ("", "no cassette: it has no list of interactions"),
        ("- request: {}\n  response: {}", r"a cassette of vcrpy before 1\.0 .run `python -m vcr\.migration"),
        ("interactions: [{request: {}}]", "interaction 0 is not as vcrpy writes it: 'response' is missing"),
        ("interactions: [1]", "interaction 0 is not as vcrpy writes it: "),
        ("interactions: [{request: {method: GET, uri: 'http://a', body: 1}, response: {status: {code: 200}}}]",
         "interaction 0 is not as vcrpy writes it: a body of type int"),
    ],
)  # fmt: skip
def test_what_cannot_be_read(text, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.yaml").write_text(text)
    with pytest.raises(HarnessError, match=told) as caught:
        read(Path("c.yaml"))
    assert str(caught.value).startswith("c.yaml:")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "owned").exists()


def test_without_pyyaml(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "yaml", None)
    with pytest.raises(HarnessError, match=r"needs pyyaml: pip install 'trajectory-harness\[yaml\]'"):
        read(CASSETTES / "stream.yaml")
    assert len(read(CASSETTES / "stream.json")) == 1


def test_keys_do_not_come_along(tmp_path):
    key = "sk-test-0123456789abcdefghijklmnop"
    path = cassette(
        tmp_path,
        {"status": OK, "headers": {"Set-Cookie": ["session=0123456789abcdef0123"]}, "body": {"string": f"key {key}"}},
        headers={"authorization": [f"Bearer {key}"]},
        body=json.dumps({"k": key}),
    )
    imported(path, tmp_path)
    text = (tmp_path / "a.jsonl").read_text()
    assert key not in text
    assert "0123456789abcdef0123" not in text


def test_an_existing_recording_is_refused(tmp_path):
    imported(CASSETTES / "binary.yaml", tmp_path)
    with pytest.raises(HarnessError, match=r"a\.jsonl: the file exists"):
        imported(CASSETTES / "binary.yaml", tmp_path)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/cassettes/test_a/test_one.yaml", "tests/recordings/test_a/test_one.jsonl"),
        ("a/cassettes/b/cassettes/c.yml", "a/cassettes/b/recordings/c.jsonl"),
        ("old/test_x[a.b].yaml", "old/test_x[a.b].jsonl"),
        ("cassettes.yaml", "cassettes.jsonl"),
        ("cassettes/test_a/TestX.test_one.json", "recordings/test_a/TestX.test_one.jsonl"),
    ],
)
def test_where_recordings_go(path, expected):
    assert target(Path(path)) == Path(expected)


def test_the_cassettes_are_what_vcrpy_reads():
    vcr = pytest.importorskip("vcr", reason="vcrpy is not installed")
    with vcr.use_cassette(str(CASSETTES / "stream.yaml"), record_mode="none") as tape:
        assert family("httpx").post(URL, json=QUESTION).content == STREAM
    assert tape.play_count == 1
