from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path

import pytest

import harness
from agent.trim import cap
from harness.errors import HarnessError, RecordingError
from harness.redaction.finder import Finder
from harness.redaction.redactor import Rule
from harness.redaction.scan import scan_file
from harness.redaction.scrub import check_clean, scrub
from harness.replaying.replayer import replay_recording
from harness.replaying.rewriting import write_file
from tests.harness.leaky import WIRES, Blind, answer, leaky_session, record
from tests.harness.redaction.test_redactor import KEYS
from tests.harness.sample import header, turn
from tests.harness.secret_forms import FORMS
from tests.harness.transports import Reply

KEY = KEYS["anthropic"]
VALUE = "TESTKEY-AAAA-1111"
ROOT = Path(__file__).resolve().parents[3]


def scrubbed(path: Path, finder: Finder | None = None, foreign=None) -> Path:
    """Scrub into a new file; what must hold of every result is checked."""
    finder = finder or Finder()
    before = path.read_bytes()
    found = scrub(path, finder, foreign)
    target = path.with_name("scrubbed.jsonl")
    write_file(target, found.records, lambda file: check_clean(file, finder, foreign), over=True)
    assert path.read_bytes() == before
    assert scan_file(target, finder, foreign).findings == []
    recording = harness.open(target, strict=True)
    numbers = [json.loads(line)["seq"] for line in target.read_bytes().splitlines()]
    assert numbers == list(range(len(numbers)))
    replayed = replay_recording(target)
    assert replayed.status == "pass", replayed.reason
    for call in recording.calls:
        digest = harness.recording.bodies.body_digest(call.request.body)
        assert call.request.record["sha256"] == digest
    return target


def lines(path: Path, kind: str) -> list[dict]:
    return [item for item in map(json.loads, path.read_bytes().splitlines()) if item["kind"] == kind]


@pytest.mark.parametrize("cut", [1, 5, 17, 30])
@pytest.mark.parametrize("secret", [KEY, VALUE], ids=["key", "value"])
@pytest.mark.parametrize("wire", WIRES)
def test_a_session_with_secrets_everywhere(wire, secret, cut, tmp_path):
    cut = min(cut, len(secret) - 2)
    path = leaky_session(tmp_path, wire, secret, cut)
    target = scrubbed(path, Finder([VALUE]))
    text = target.read_text()
    assert secret not in text
    rule = "anthropic" if secret == KEY else "key"
    assert set(re.findall(r"\[redacted:[^\]]+\]", text)) == {f"[redacted:{rule}:1]"}
    assert rule in lines(target, "header")[0]["redaction"]["rules"]
    said = [event["text"] for event in harness.open(target).calls[-1].events if event["type"] == "text"]
    assert "".join(said) == f"The token is [redacted:{rule}:1], as the file says."


@pytest.mark.parametrize("form", FORMS)
def test_any_form(form, tmp_path):
    written = FORMS[form][0](KEY)
    path = record(tmp_path / "x.jsonl", "openai-chat", f"see {written} ", [answer("openai-chat", [written])], tmp_path)
    assert "see [redacted:anthropic:1] " in scrubbed(path).read_text()


def test_what_holds_no_secret_stays_byte_for_byte(tmp_path):
    for name in ("anthropic-tool-call", "gemini-parallel-calls", "openai-chat-reset"):
        path = ROOT / "recordings" / f"{name}.jsonl"
        found = scrub(path, Finder())
        assert (found.changed, found.secrets) == (0, 0)
        target = tmp_path / "x.jsonl"
        write_file(target, found.records, lambda file: None, over=True)
        assert target.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("path", sorted((ROOT / "recordings").glob("*.jsonl")), ids=lambda path: path.stem)
def test_a_word_of_every_recording_made_a_secret(path, tmp_path):
    copy = tmp_path / "x.jsonl"
    copy.write_bytes(path.read_bytes())
    scrubbed(copy, Finder(rules=[Rule("word", r"\b(?:garden|beans?|peas|plan)\b")]))


def test_numbering_goes_on(tmp_path):
    prompt = f"old [redacted:anthropic:4], new {KEY}, other {KEYS['groq']}"
    path = record(tmp_path / "x.jsonl", "anthropic", prompt, [answer("anthropic", ["ok"])], tmp_path)
    text = scrubbed(path).read_text()
    assert "old [redacted:anthropic:4], new [redacted:anthropic:5], other [redacted:groq:1]" in text


def test_error_bodies(tmp_path):
    body = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}."}}).encode()
    reply = Reply([body[:50], body[50:60], body[60:]], 401, "application/json")
    path = record(tmp_path / "x.jsonl", "openai-chat", "hi", [reply], tmp_path)
    target = scrubbed(path)
    (call,) = harness.open(target).calls
    assert call.events[0]["message"] == "Provider HTTP 401: Incorrect API key provided: [redacted:anthropic:1]."
    assert len(call.bodies) == 3
    (end,) = lines(target, "call_end")
    assert end["bytes"] == len(call.body())


def test_keys_in_headers_and_urls(tmp_path):
    path = record(
        tmp_path / "x.jsonl",
        "gemini",
        f"what is {VALUE}?",
        [answer("gemini", ["It is TEST", "KEY-AAAA-1111"])],
        tmp_path,
    )
    text = path.read_text()
    text = text.replace("streamGenerateContent?alt=sse", f"streamGenerateContent?key={VALUE}&alt=sse")
    path.write_text(
        text.replace(
            '["content-type","application/json"]',
            '["content-type","application/json"],["X-Own-Key","TESTKEY-BBBB-2222"]',
        )
    )
    target = scrubbed(path)
    assert "TESTKEY" not in target.read_text()
    (request,) = lines(target, "request")
    assert request["url"].endswith("streamGenerateContent?alt=sse")
    assert "X-Own-Key" not in str(request["headers"])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("text", '{"a":"' + KEY + '","n":12345678901234567890123}'),
        ("text", f"plain {KEY}"),
        ("b64", base64.b64encode(b"\xff" + KEY.encode()).decode()),
    ],
    ids=["json-text", "text", "b64"],
)  # fmt: skip
def test_bodies_that_are_no_exact_json(field, value, tmp_path):
    path = record(tmp_path / "x.jsonl", "openai-chat", "hi", [answer("openai-chat", ["ok"])], tmp_path)
    records = [json.loads(line) for line in path.read_bytes().splitlines() if b'"turn"' not in line[:20]]
    for item in records:
        item.pop("turn", None)
        if item["kind"] == "request":
            del item["body"]
            item[field] = value
    path.write_text("".join(json.dumps(item) + "\n" for item in records if item["kind"] != "loop"))
    finder = Finder()
    found = scrub(path, finder)
    (request,) = [item for item in found.records if item["kind"] == "request"]
    target = tmp_path / "y.jsonl"
    write_file(target, found.records, lambda file: check_clean(file, finder), over=False)
    body = harness.open(target, strict=True).calls[0].request.body
    assert b"[redacted:anthropic:1]" in body
    assert request["sha256"] == harness.recording.bodies.body_digest(body)
    assert field != "text" or "n" not in value or b"12345678901234567890123" in body or value.startswith("plain")


def test_rules_of_the_user_over_frames(tmp_path):
    replies = [answer("openai-responses", ["case CA", "SE", "-12 and ", "CASE-3"])]
    path = record(tmp_path / "x.jsonl", "openai-responses", "CASE-12?", replies, tmp_path)
    text = scrubbed(path, Finder(rules=[Rule("case", r"CASE-\d+")])).read_text()
    assert "CASE" not in text
    assert '"case":' not in text
    assert "[redacted:case:2]" in text


@pytest.mark.parametrize("keep", [5, 9, 20, 33])
def test_a_recording_whose_process_died(keep, tmp_path):
    path = leaky_session(tmp_path, "openai-chat", KEY, 9)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:keep]))
    scrubbed(path)


def test_a_call_of_unknown_format(tmp_path):
    path = record(tmp_path / "x.jsonl", "anthropic", "hi", [answer("anthropic", [KEY[:9], KEY[9:]])], tmp_path)
    kept = [line for line in path.read_bytes().splitlines(keepends=True) if b'"kind":"event"' not in line]
    path.write_bytes(b"".join(kept).replace(b'"wire":"anthropic"', b'"wire":null'))
    found = scrub(path, Finder())
    assert KEY[9:] not in json.dumps(found.records)
    assert not [item for item in found.records if item["kind"] == "event"]


def test_an_output_that_the_loop_cut(tmp_path):
    output = f"{KEY} " + "x" * 200
    items = [
        header(),
        {**turn(), "limits": {"max_result_chars": 150}},
        {
            "kind": "tool_result", "turn": 0, "call": 0, "position": 0, "id": "c", "name": "n", "ok": True,
            "output": output, "duration": 0.1,
        },
    ]  # fmt: skip
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps({"seq": seq, "t": seq, **item}) + "\n" for seq, item in enumerate(items)))
    result = scrub(path, Finder()).records[2]
    assert result["output"] == output.replace(KEY, "[redacted:anthropic:1]")
    assert result["given"] == cap(output, 150).replace(KEY, "[redacted:anthropic:1]")


class _Other:
    def find(self, data):
        from tests.harness.redaction.test_scan import _Hit

        for match in re.finditer(rb"tok_[a-z]+\b", data):
            yield _Hit(match.start(), "other.tok", match[0].decode())


def test_what_another_scanner_finds_goes_too(tmp_path):
    replies = [answer("openai-chat", ["it is tok_lon", "gsecret."])]
    path = record(tmp_path / "x.jsonl", "openai-chat", "tok_longsecret?", replies, tmp_path)
    text = scrubbed(path, foreign=_Other()).read_text()
    assert "[redacted:other.tok:1]?" in text
    assert "gsecret" not in text


def test_damaged_recordings_are_refused(tmp_path):
    path = leaky_session(tmp_path, "gemini", KEY, 9)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(RecordingError, match=r"it is damaged: .*harness recover"):
        scrub(path, Finder())
    path.write_text("no recording\n")
    with pytest.raises(RecordingError, match="not a recording"):
        scrub(path, Finder())


def test_compressed(tmp_path):
    path = leaky_session(tmp_path, "gemini", KEY, 9)
    packed = tmp_path / "x.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    scrubbed(packed)


def test_nothing_is_written_where_a_secret_stays(tmp_path):
    class Stubborn(Finder):
        def find(self, data, *, user_rules=True):
            return [] if b'"kind"' not in data else super().find(data, user_rules=user_rules)

    path = leaky_session(tmp_path, "gemini", KEY, 9)
    finder = Stubborn()
    found = scrub(path, finder)
    target = tmp_path / "y.jsonl"
    with pytest.raises(HarnessError, match="cannot be removed; nothing was written"):
        write_file(target, found.records, lambda file: check_clean(file, finder), over=False)
    assert {item.name for item in tmp_path.iterdir()} == {"gemini.jsonl", "ws"}


def test_scrubbed_twice_changes_nothing(tmp_path):
    target = scrubbed(leaky_session(tmp_path, "anthropic", KEY, 3))
    assert scrub(target, Finder()).changed == 0


def test_recorded_blindly():
    assert Blind().text(KEY) == KEY
