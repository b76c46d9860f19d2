"""What happens to the file while it is written: a disk that fills up, a file that is deleted, a second writer."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager

import pytest

import harness
from harness.errors import RecordingError
from harness.recorder.recorder import Recorder
from harness.recording.reader import RecordReader
from harness.recording.writer import Writer
from harness.replaying.replayer import replay_recording
from tests.harness.sessions import Turn, chat, record
from tests.harness.transports import BODY, URL, Reply, Scripted, family, records
from tests.harness.turns import ANSWER, LOOKS

resource = pytest.importorskip("resource", reason="no limits on file sizes here")

SESSION = [Turn([LOOKS, chat("One, ", "two, ", "three.")]), Turn([ANSWER])]
CHUNKS = [b"data: 1\n\n", b"data: 2\n\n", b"data: [DONE]\n\n"]


@contextmanager
def size_limit(size):
    """No file of this process may grow beyond so many bytes, as on a full disk. The last write may be half done.

    Nor may Python write what it compiles then: half of that would stay, too.
    """
    before, compiled = resource.getrlimit(resource.RLIMIT_FSIZE), sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        sys.dont_write_bytecode = compiled


def assert_readable(path):
    """Whole lines, each a record; a replay judges them without failing itself."""
    assert path.read_bytes().endswith(b"\n")
    reader = RecordReader(path)
    found = [record for _, record in reader]
    assert {fault.what for fault in reader.warnings} <= {"not_closed"}
    assert [r["seq"] for r in found] == sorted({r["seq"] for r in found})
    assert harness.open(path).warnings == reader.warnings
    for verdict in replay_recording(path).verdicts:
        assert "report it" not in (verdict.reason or "")
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return record(tmp_path_factory.mktemp("whole") / "r.jsonl", *SESSION).read_bytes()


@pytest.mark.parametrize("part", [n / 24 for n in range(3, 24)])
def test_a_disk_that_is_full(tmp_path, whole, part):
    warnings = []
    path = tmp_path / "r.jsonl"
    with size_limit(int(len(whole) * part)):
        record(path, *SESSION, warn=warnings.append)
    (warning,) = warnings
    assert warning == f"not all is recorded: {path}: cannot write the recording: File too large"
    found = assert_readable(path)
    assert len(path.read_bytes()) <= len(whole) * part
    assert found[0]["kind"] == "header"
    record(path, Turn([ANSWER]), append=True)
    assert harness.open(path).turns[-1].loop[-1]["event"] == "done"


def test_a_turn_that_could_not_be_recorded_leaves_nothing_of_itself(tmp_path, monkeypatch):
    """Neither its results nor its loop events; its calls are kept as they are, without the turn."""
    write = Writer.write

    def full(self, records):
        if any(type(one) is dict and (one["kind"], one.get("turn")) == ("turn", 0) for one in records):
            raise OSError(28, "No space left on device")
        write(self, records)

    monkeypatch.setattr(Writer, "write", full)
    path = record(tmp_path / "r.jsonl", *SESSION, warn=None)
    recording = harness.open(path, strict=True)
    assert [call.turn for call in recording.calls] == [None, None, 1]
    assert [turn.number for turn in recording.turns] == [1]
    assert replay_recording(path).reason is None


def test_a_disk_that_is_full_from_the_start(tmp_path):
    with size_limit(100), pytest.raises(RecordingError, match="File too large"):
        Recorder(tmp_path / "r.jsonl")
    assert (tmp_path / "r.jsonl").read_bytes() == b""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_device_that_takes_nothing():
    with pytest.raises(RecordingError, match="No space left on device"):
        Recorder("/dev/full", force=True)


def ask(made, *, meanwhile=lambda: None):
    """What the caller sees of one call; `meanwhile` comes after its first chunk."""
    transport = made.transport(Scripted([Reply(CHUNKS)]))
    seen = []
    with family("httpx").Client(transport=transport).stream("POST", URL, content=BODY) as response:
        for chunk in response.iter_raw():
            seen.append(chunk)
            if len(seen) == 1:
                meanwhile()
    assert seen == CHUNKS


def delete(path):
    path.unlink()


def delete_folder(path):
    path.unlink()
    path.parent.rmdir()


def replace(path):
    other = path.with_name("other")
    other.write_bytes(b"other")
    other.replace(path)


def cut(path):
    os.truncate(path, 40)


def add(path):
    with path.open("ab") as file:
        file.write(b'{"other":"line"}\n')


DELETED, CHANGED = "the file was deleted while it was written", "another program changed the file while it was written"
HARMS = [(delete, DELETED), (delete_folder, DELETED), (replace, DELETED), (cut, CHANGED), (add, CHANGED)]


@pytest.mark.parametrize("later_calls", [0, 2])
@pytest.mark.parametrize(("harm", "says"), HARMS, ids=lambda value: getattr(value, "__name__", None))
def test_a_file_that_others_lay_hands_on(tmp_path, harm, says, later_calls):
    warnings = []
    path = tmp_path / "folder" / "r.jsonl"
    made = Recorder(path, warn=warnings.append)
    ask(made, meanwhile=lambda: harm(path))
    for _ in range(later_calls):
        ask(made)
        assert len(warnings) == 1
    made.close()
    assert warnings == [f"not all is recorded: {path}: {says}"]
    assert made.errors == [f"{path}: {says}"]
    if harm in (cut, add):
        kept = harness.open(path)
        assert [len(call.frames) for call in kept.calls[-later_calls:] if later_calls] == [3] * later_calls


def test_a_file_that_was_moved_is_recorded_to_its_end(tmp_path):
    made = Recorder(tmp_path / "a.jsonl", warn=None)
    ask(made, meanwhile=lambda: (tmp_path / "a.jsonl").rename(tmp_path / "b.jsonl"))
    made.close()
    assert made.errors == []
    assert harness.open(tmp_path / "b.jsonl", strict=True).calls[0].body() == b"".join(CHUNKS)


@pytest.mark.parametrize("options", [{"force": True}, {"append": True}], ids=["force", "append"])
def test_a_second_writer_is_refused_and_the_first_goes_on(tmp_path, options):
    path = tmp_path / "r.jsonl"
    with Recorder(path) as made:
        ask(made)
        before = path.read_bytes()
        with pytest.raises(RecordingError, match="it is being written to already"):
            Recorder(path, **options)
        assert path.read_bytes() == before
        ask(made)
    assert made.errors == []
    assert [len(call.frames) for call in harness.open(path, strict=True).calls] == [3, 3]
    Recorder(path, append=True).close()


def test_two_writers_where_files_cannot_be_locked(tmp_path, monkeypatch):
    """Each tells of the other, and every line of both is whole."""
    monkeypatch.setattr("harness.recording.writer.claim", lambda descriptor, path: None)
    path = tmp_path / "r.jsonl"
    one = Recorder(path, warn=None)
    ask(one)
    other = Recorder(path, append=True, warn=None)
    ask(other)
    ask(one)
    one.close()
    other.close()
    assert (one.errors, other.errors) == ([f"{path}: {CHANGED}"], [f"{path}: {CHANGED}"])
    found = records(path)
    assert sum(r["kind"] == "frame" for r in found) == 9
    assert len(harness.open(path).calls) == 3
