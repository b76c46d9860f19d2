from __future__ import annotations

import gzip

import pytest

import harness
from harness.errors import RecordingError
from harness.formats.exchange import Exchange, write_recording
from harness.redaction.redactor import Redactor


def exchange(answer, **headers):
    pairs = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return Exchange("POST", "https://h/v1/chat/completions", [], b"{}", 200, pairs, answer)


def write(path, *exchanges, force=False):
    write_recording(path, exchanges, source="import:x", task=None, redactor=Redactor(), force=force)
    return harness.open(path, strict=True)


@pytest.mark.parametrize(
    ("answer", "body", "encoding"),
    [
        (gzip.compress(b'{"a":1}'), b'{"a":1}', "gzip"),
        (b'{"a":1}', b'{"a":1}', "gzip"),
        (b"", b"", "gzip"),
    ],
    ids=["coded", "decoded already", "empty"],
)
def test_whether_a_coding_was_undone_is_told_from_the_bytes(tmp_path, answer, body, encoding):
    (call,) = write(tmp_path / "a.jsonl", exchange(answer, content_encoding="gzip", content_length="9")).calls
    assert (call.body(), call.response.encoding) == (body, encoding)
    assert call.end.kind == "eof"


def test_a_coding_that_is_not_undone_is_kept(tmp_path):
    (call,) = write(tmp_path / "a.jsonl", exchange(b"\xffbr", content_encoding="br")).calls
    assert call.body() == b"\xffbr"
    assert ("content-encoding", "br") in call.response.headers


def test_a_recording_that_exists(tmp_path):
    path = tmp_path / "a.jsonl"
    write(path, exchange(b"1"))
    with pytest.raises(RecordingError, match=r"the file exists \(pass --force"):
        write(path, exchange(b"2"))
    assert write(path, exchange(b"2"), force=True).calls[0].body() == b"2"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk(tmp_path, monkeypatch):
    def full(self, records):
        raise OSError(28, "No space left on device")

    recorder = harness.Recorder(tmp_path / "b.jsonl")
    monkeypatch.setattr(type(recorder._writer), "write", full)
    with pytest.raises((RecordingError, OSError), match="No space left"):
        write(tmp_path / "a.jsonl", exchange(b"1"))
    assert not (tmp_path / "a.jsonl").exists()
