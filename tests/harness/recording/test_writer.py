from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading

import pytest

from harness.errors import NewerVersion, RecordingError, UnreadableRecording
from harness.recording.reader import RecordReader
from harness.recording.writer import Writer

HEADER = {"kind": "header", "format": "trajectory", "version": 1}
END = {"kind": "end", "status": "ok"}


def records(path):
    return [record for _, record in RecordReader(path)]


def test_lines_are_numbered_timed_and_in_order(tmp_path):
    ticks = iter([5.0, 5.5, 6.25, 7.0])
    path = tmp_path / "a" / "b" / "x.jsonl"
    with Writer.create(path, clock=lambda: next(ticks)) as writer:
        writer.write([HEADER, {"kind": "turn", "turn": 0}])
        writer.write([{"kind": "loop", "t": 0.125, "s": "\u2028\ud800"}])
        writer.write([])
    assert path.read_bytes() == (
        b'{"kind":"header","seq":0,"t":0.5,"format":"trajectory","version":1}\n'
        b'{"kind":"turn","seq":1,"t":0.5,"turn":0}\n'
        b'{"kind":"loop","seq":2,"t":0.125,"s":"' + "\u2028\ufffd".encode() + b'"}\n'
    )


def test_a_new_file_is_private(tmp_path):
    Writer.create(tmp_path / "x.jsonl").close()
    assert stat.S_IMODE((tmp_path / "x.jsonl").stat().st_mode) == 0o600


def test_an_existing_file_needs_force(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text("old")
    with pytest.raises(RecordingError, match=r"x\.jsonl: the file exists \(.*--force"):
        Writer.create(path)
    assert path.read_text() == "old"
    with Writer.create(path, force=True) as writer:
        writer.write([HEADER])
    assert records(path)[0]["version"] == 1


@pytest.mark.parametrize("make", [Writer.create, Writer.append])
def test_what_cannot_be_opened_is_one_line(tmp_path, make):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "file" / "x.jsonl", tmp_path / "folder", tmp_path / "x.jsonl.gz"):
        with pytest.raises(RecordingError) as caught:
            make(path)
        assert "\n" not in str(caught.value)
        assert str(path) in str(caught.value)


def test_a_file_has_one_writer(tmp_path):
    pytest.importorskip("fcntl")
    path = tmp_path / "x.jsonl"
    with Writer.create(path) as writer:
        writer.write([HEADER])
        with pytest.raises(RecordingError, match="being written to already"):
            Writer.append(path)
        with pytest.raises(RecordingError, match="being written to already"):
            Writer.create(path, force=True)
    assert records(path)
    Writer.append(path).close()


def test_a_closed_writer_refuses(tmp_path):
    writer = Writer.create(tmp_path / "x.jsonl")
    writer.close()
    writer.close()
    with pytest.raises(RecordingError, match="closed"):
        writer.write([HEADER])


def test_threads_do_not_mix_lines(tmp_path):
    path = tmp_path / "x.jsonl"
    with Writer.create(path) as writer:
        writer.write([HEADER])

        def work(call):
            for i in range(50):
                writer.write([{"kind": "frame", "call": call, "i": i, "raw": "x" * 100}] * 3)

        threads = [threading.Thread(target=work, args=(call,)) for call in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    found = records(path)
    assert [record["seq"] for record in found] == list(range(601))


def test_a_killed_process_loses_nothing_written(tmp_path):
    path = tmp_path / "x.jsonl"
    code = (
        "import os, sys; from harness.recording.writer import Writer; w = Writer.create(sys.argv[1]);"
        "w.write([{'kind': 'header', 'format': 'trajectory', 'version': 1}]); w.write([{'kind': 'turn', 'turn': 0}]);"
        "os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], env={**os.environ, "PYTHONPATH": os.getcwd()}, check=False)
    reader = RecordReader(path)
    assert [record["kind"] for _, record in reader] == ["header", "turn"]
    assert [warning.what for warning in reader.warnings] == ["not_closed"]


class TestFailingWrites:
    """A disk that takes only part of a write, then nothing."""

    def writer(self, tmp_path, monkeypatch, *, takes, truncates=True):
        writer = Writer.create(tmp_path / "x.jsonl")
        writer.write([HEADER])
        real, left = os.write, [takes]

        def write(descriptor, data):
            if left[0] <= 0:
                raise OSError(28, "No space left on device")
            written = real(descriptor, data[: left[0]])
            left[0] -= written
            return written

        def refuse(descriptor, size):
            raise OSError(22, "Invalid argument")

        monkeypatch.setattr("harness.recording.writer.os.write", write)
        if not truncates:
            monkeypatch.setattr("harness.recording.writer.os.ftruncate", refuse)
        with pytest.raises(RecordingError, match="No space left on device"):
            writer.write([{"kind": "turn", "turn": 0, "input": "x" * 50}])
        left[0] = 10_000
        writer.write([END])
        writer.close()
        return writer.path

    def test_the_half_line_is_taken_back(self, tmp_path, monkeypatch):
        path = self.writer(tmp_path, monkeypatch, takes=20)
        reader = RecordReader(path)
        assert [(record["kind"], record["seq"]) for _, record in reader] == [("header", 0), ("end", 2)]
        assert reader.warnings == []

    def test_where_that_fails_the_line_is_closed(self, tmp_path, monkeypatch):
        path = self.writer(tmp_path, monkeypatch, takes=20, truncates=False)
        reader = RecordReader(path)
        assert [record["kind"] for _, record in reader] == ["header", "end"]
        assert [(warning.what, warning.line) for warning in reader.warnings] == [("bad_line", 2)]

    def test_short_writes_are_continued(self, tmp_path, monkeypatch):
        real = os.write
        monkeypatch.setattr("harness.recording.writer.os.write", lambda descriptor, data: real(descriptor, data[:7]))
        with Writer.create(tmp_path / "x.jsonl") as writer:
            writer.write([HEADER, END])
        assert [record["kind"] for record in records(tmp_path / "x.jsonl")] == ["header", "end"]


def test_fsync_is_an_option(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr("harness.recording.writer.os.fsync", synced.append)
    with Writer.create(tmp_path / "plain.jsonl") as writer:
        writer.write([HEADER, END])
    assert synced == []
    with Writer.create(tmp_path / "synced.jsonl", fsync=True) as writer:
        writer.write([HEADER])
        before = len(synced)
        writer.write([{"kind": "frame"}])
        assert len(synced) == before
        writer.write([{"kind": "call_end"}])
        assert len(synced) == before + 1
    assert len(synced) == before + 2


class TestAppend:
    def test_goes_on_where_it_ended(self, tmp_path):
        path = tmp_path / "x.jsonl"
        with Writer.create(path, clock=iter([0.0, 7.5]).__next__) as writer:
            writer.write([HEADER, {"kind": "turn", "turn": 2}, {"kind": "request", "call": 4}])
        with Writer.append(path, clock=iter([100.0, 101.0]).__next__) as writer:
            assert (writer.tail.seq, writer.tail.t, writer.tail.call, writer.tail.turn) == (3, 7.5, 5, 3)
            writer.write([{"kind": "resume"}])
        assert records(path)[-1] == {"kind": "resume", "seq": 3, "t": 8.5}

    def test_an_empty_file_starts_anew(self, tmp_path):
        path = tmp_path / "x.jsonl"
        path.write_bytes(b'{"kind":"hea')
        with Writer.append(path) as writer:
            assert writer.tail.seq == 0
            writer.write([HEADER])
        assert len(records(path)) == 1

    def test_a_newer_or_foreign_file_is_refused_untouched(self, tmp_path):
        path = tmp_path / "x.jsonl"
        path.write_text(json.dumps({**HEADER, "version": 2}) + "\n")
        with pytest.raises(NewerVersion):
            Writer.append(path)
        path.write_text('{"a":1}\n')
        with pytest.raises(UnreadableRecording):
            Writer.append(path)
        assert path.read_text() == '{"a":1}\n'

    def test_a_missing_file_is_refused(self, tmp_path):
        with pytest.raises(RecordingError, match="No such file"):
            Writer.append(tmp_path / "x.jsonl")
