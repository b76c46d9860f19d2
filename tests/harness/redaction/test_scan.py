from __future__ import annotations

import base64
import gzip
import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.errors import UnreadableRecording
from harness.redaction.finder import Finder
from harness.redaction.redactor import Rule
from harness.redaction.scan import SPLIT, Scanned, scan_file
from tests.harness.leaky import WIRES, leaky_session
from tests.harness.redaction.test_redactor import KEYS, PEM
from tests.harness.sample import numbered
from tests.harness.secret_forms import FORMS

ROOT = Path(__file__).resolve().parents[3]
KEY = KEYS["anthropic"]


def scan(path: Path, data: bytes | None = None, *, finder: Finder | None = None, foreign=None) -> Scanned:
    if data is not None:
        path.write_bytes(data)
    found = scan_file(path, finder or Finder(), foreign)
    for finding in found.findings:
        for secret in (*KEYS.values(), PEM):
            assert secret not in f"{finding}{finding!r}{finding.to_dict()}"
    return found


def places(found: Scanned) -> list[tuple[int, str, str]]:
    return [(finding.line, finding.rule, finding.form) for finding in found.findings]


def record(**fields) -> bytes:
    return json.dumps({"kind": "frame", "seq": 1, "t": 0, "call": 0, "i": 0, **fields}).encode() + b"\n"


@pytest.mark.parametrize("folder", ["recordings", "fixtures", "docs", "harness", "agent"])
def test_the_repository_itself_is_clean(folder):
    for path in (ROOT / folder).rglob("*"):
        if path.is_file() and path.suffix != ".pyc":
            assert scan(path).findings == []


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["x.txt", "x.jsonl"])
def test_text_with_a_secret_in_any_form(name, form, tmp_path):
    text = f'one\n{{"a":"{FORMS[form][0](KEY)}"}}\nthree [redacted:key:1]\n'
    found = scan(tmp_path / name, text.encode())
    assert [(finding.line, finding.rule) for finding in found.findings] == [(2, "anthropic")]
    assert found.placeholders == 1
    assert found.findings[0].length == len(KEY)


def test_several_lines_and_a_secret_over_lines(tmp_path):
    data = f"{KEYS['groq']}\n\n{PEM}\nx {KEYS['npm']}, {KEYS['groq']}\n".encode()
    found = scan(tmp_path / "notes.md", data)
    assert places(found) == [
        (1, "groq", "plain"),
        (3, "private_key", "plain"),
        (7, "npm", "plain"),
        (7, "groq", "plain"),
    ]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_other_encodings(encoding, tmp_path):
    found = scan(tmp_path / "notes.txt", f"é\n{KEY}\n".encode(encoding))
    assert places(found) == [(2, "anthropic", "plain")]


def test_binary_files_are_searched_as_they_are(tmp_path):
    assert places(scan(tmp_path / "x.bin", b"\x00\xff\n" + KEY.encode() + b"\x00")) == [(2, "anthropic", "plain")]


@pytest.mark.parametrize("wire", WIRES)
def test_a_session_with_secrets_everywhere(wire, tmp_path):
    path = leaky_session(tmp_path, wire, KEY, 9)
    found = scan(path)
    lines = path.read_bytes().splitlines()
    wheres = {finding.where.split(" of ")[0].split(" in ")[0] for finding in found.findings}
    assert {"turn 0", "request", "tool_result"} <= wheres
    for number, line in enumerate(lines, 1):
        if KEY.encode() in line:
            assert (number, "anthropic") in [(finding.line, finding.rule) for finding in found.findings]
    texts = [finding for finding in found.findings if finding.form == SPLIT]
    assert len(texts) >= 2
    assert all(f"lines {finding.line} to " in finding.where for finding in texts)


@pytest.mark.parametrize("cut", range(1, len(KEY)))
def test_a_secret_split_over_frames_at_any_byte(cut, tmp_path):
    frames = [{"choices": [{"delta": {"content": part}}]} for part in (f"a {KEY[:cut]}", f"{KEY[cut:]} b")]
    lines = [record(i=i, raw=f"data: {json.dumps(payload)}\n\n") for i, payload in enumerate(frames)]
    found = scan(tmp_path / "x.jsonl", b"".join(lines))
    assert found.findings[-1].rule == "anthropic"
    assert any(finding.line == 1 and finding.form == SPLIT for finding in found.findings)


BROKEN = {
    "raw-b64": record(raw_b64=base64.b64encode(b"\xff" + KEY.encode()).decode()),
    "torn": record(raw=f"data: {KEY}")[:-3],
    "glued": record(raw="x")[:-1] + record(raw=KEY),
    "not-json": b"\0\0 half a line " + KEY.encode(),
    "another-object": json.dumps({"key": KEY, "kind": ["x"]}).encode(),
    "deep": b"[" * 5000 + KEY.encode(),
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_broken_lines_are_searched_too(data, tmp_path):
    found = scan(tmp_path / "x.jsonl", b'{"kind":"header"}\n' + data)
    assert [(finding.line, finding.rule) for finding in found.findings] == [(2, "anthropic")]


def test_bodies_and_events_are_joined(tmp_path):
    lines = [
        record(kind="body", raw='{"text":"' + KEY[:20]),
        record(kind="body", i=1, raw=KEY[20:] + '"}'),
        record(kind="event", call=1, event={"type": "reasoning", "text": KEY[:30]}),
        record(kind="event", call=2, event={"type": "reasoning", "text": "another call"}),
        record(kind="event", call=1, event={"type": "reasoning", "text": KEY[30:]}),
        record(kind="call_end", call=1),
    ]
    found = scan(tmp_path / "x.jsonl", b"".join(lines))
    assert {(1, "anthropic", SPLIT), (3, "anthropic", SPLIT)} <= set(places(found))


@pytest.mark.parametrize(
    ("texts", "lines"),
    [
        (["it is ", KEY, " ok"], [2]),
        (["it is ta", KEY, " ok"], []),
        (["it is ta", f"{KEY} and {KEY}", " ok"], [2]),
        ([KEY, KEY, "-"], [1, 2]),
        (["", KEY, " ok"], [2]),
    ],
)
@pytest.mark.parametrize("kind", ["frame", "event"])
def test_a_key_does_not_begin_inside_a_word(kind, texts, lines, tmp_path):
    """What a frame begins with is the rest of a word where the frame before ends inside one."""
    if kind == "frame":
        payloads = [{"choices": [{"delta": {"content": text}}]} for text in texts]
        data = [record(i=i, raw=f"data: {json.dumps(payload)}\n\n") for i, payload in enumerate(payloads)]
    else:
        data = [record(kind="event", event={"type": "text", "text": text}) for text in texts]
    found = scan(tmp_path / "x.jsonl", b"".join(data))
    assert {finding.line for finding in found.findings} == {*lines}


def test_a_key_behind_the_word_of_another_part(tmp_path):
    """Text of one block does not go on with that of another."""
    frames = [
        record(raw=f"data: {json.dumps({'type': 'd', 'index': index, 'delta': {'text': text}})}\n\n")
        for index, text in [(0, "one ta"), (1, "two "), (1, KEY), (0, "sks")]
    ]
    assert {finding.line for finding in scan(tmp_path / "x.jsonl", b"".join(frames)).findings} == {3}


def test_an_event_stream_that_is_no_recording(tmp_path):
    data = b"".join(b'data: {"delta":"%s"}\n\n' % part.encode() for part in (KEY[:9], KEY[9:12], KEY[12:]))
    assert (1, "anthropic", SPLIT) in places(scan(tmp_path / "x.sse", data))
    assert scan(tmp_path / "y.sse", b'data: {"delta":"a"}\n\ndata: {"delta":"b"}\n\n').findings == []


def test_what_a_request_carries_where_keys_stand(tmp_path):
    fields = {
        "kind": "request",
        "url": "https://h/v1?key=TESTKEY-AAAA-1111&alt=sse",
        "headers": [["X-Api-Key", "TESTKEY-CCCC-3333"], ["authorization", "Bearer [redacted:key:1]"]],
    }
    later = record(raw="data: Incorrect API key provided: TESTKEY-CCCC-3333\n\n")
    found = scan(tmp_path / "x.jsonl", record(**fields) + later + record(kind="request", headers=5))
    assert places(found) == [(1, "key", "plain"), (1, "key", "plain"), (2, "key", "plain")]


def test_rules_of_the_user_see_texts(tmp_path):
    finder = Finder(rules=[Rule("customer", "^CUST-[0-9]+$")])
    data = record(raw='data: {"id":"CUST-12","n":"xCUST-1"}\n\n') + record(kind="turn", turn=0, input="CUST-7")
    found = scan(tmp_path / "x.jsonl", data, finder=finder)
    assert [(finding.line, finding.rule, finding.where) for finding in found.findings] == [
        (1, "customer", "frame 0 of call 0"),
        (2, "customer", "turn 0"),
    ]


def test_compressed_and_without_the_suffix(tmp_path):
    data = b"".join(json.dumps(record).encode() + b"\n" for record in numbered()) + record(
        kind="turn", turn=0, input=KEY
    )
    assert places(scan(tmp_path / "x.jsonl.gz", gzip.compress(data)))[0][1] == "anthropic"
    assert scan(tmp_path / "session", data).findings[0].where == "turn 0"


def test_damaged_compression_is_told(tmp_path):
    whole = gzip.compress(b"".join(record(raw=f"data: {i * 7919}\n\n") for i in range(2000)))
    found = scan(tmp_path / "x.jsonl.gz", whole[: len(whole) // 2])
    assert found.unread == ["the compressed data ends early"]


def test_empty_and_unreadable(tmp_path):
    assert scan(tmp_path / "x.jsonl", b"").findings == []
    with pytest.raises(UnreadableRecording, match="cannot read it"):
        scan_file(tmp_path, Finder())


@dataclass
class _Hit:
    start: int
    rule: str
    secret: str


class _Other:
    """Takes every `tok_...` for a secret."""

    def find(self, data):
        import re

        for match in re.finditer(rb"tok_[a-z]+|sk-ant[a-zA-Z0-9-]+", data):
            yield _Hit(match.start(), "other.tok", match[0].decode())


def test_another_scanner_sees_plain_texts(tmp_path):
    lines = [
        record(raw='data: {"delta":"tok_a"}\n\n'),
        record(i=1, raw='data: {"delta":"bc"}\n\n'),
        record(kind="turn", turn=0, input=f"tok_xyz {KEY}"),
        b"torn tok_tail",
    ]
    found = scan(tmp_path / "x.jsonl", b"".join(lines), foreign=_Other())
    assert [(f.line, f.rule, f.where) for f in found.findings if f.rule == "other.tok"] == [
        (1, "other.tok", "frame 0 of call 0"),
        (1, "other.tok", ""),
        (3, "other.tok", "turn 0"),
        (4, "other.tok", ""),
    ]
    assert set(found.foreign) == {"tok_a", "tok_abc", "tok_xyz", "tok_tail"}
    assert "tok_" not in repr(found)
