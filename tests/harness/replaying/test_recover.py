from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest

import harness
from harness.errors import NewerVersion, UnreadableRecording
from harness.replaying.recover import check_whole, recover
from harness.replaying.replayer import replay_recording
from harness.replaying.rewriting import write_file
from tests.shared import SHARED, needs_shared

ROOT = Path(__file__).resolve().parents[3]
RECORDINGS = sorted((ROOT / "recordings").glob("*.jsonl"))
SESSION = ROOT / "recordings/anthropic-tool-call.jsonl"


def recovered(path: Path, data: bytes | None = None):
    """What strict reading gives of it, and what was lost. The damaged file must stay as it is."""
    if data is not None:
        path.write_bytes(data)
    before = path.read_bytes()
    found = recover(path)
    target = path.with_name("recovered.jsonl")
    write_file(target, found.records, check_whole, over=True)
    assert path.read_bytes() == before
    recording = harness.open(target, strict=True)
    assert recording.warnings == []
    assert recording.end is not None
    assert ("recovered" in recording.header["tags"]) == bool(found.lost)
    replayed = replay_recording(target)
    events = next(verdict for verdict in replayed.verdicts if verdict.check == "events")
    assert events.status == "pass", (events, found.lost)
    return recording, found.lost, replayed


def split(path: Path = SESSION) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def index_of(kind: str, lines: list[bytes], nth: int = 0) -> int:
    return [n for n, line in enumerate(lines) if line.startswith(b'{"kind":"%s"' % kind.encode())][nth]


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_a_whole_recording_loses_nothing(path):
    found = recover(path)
    assert found.lost == []
    assert found.records == [json.loads(line) for line in split(path)]


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_torn_anywhere_it_replays_up_to_there(path, tmp_path):
    data = path.read_bytes()
    start = data.index(b"\n") + 1
    chance = random.Random(path.stem)
    for _ in range(8):
        place = chance.randrange(data.index(b"\n", start) + 1, len(data))
        recording, lost, replayed = recovered(tmp_path / "x.jsonl", data[:place])
        assert replayed.status == "pass", (place, replayed.reason, lost)
        assert any("end record is missing" in line for line in lost)
        assert all(call.end_record is not None for call in recording.calls)


def test_each_line_lost_by_itself(tmp_path):
    lines = split()
    for number in range(len(lines)):
        recording, lost, _ = recovered(tmp_path / "x.jsonl", b"".join(lines[:number] + lines[number + 1 :]))
        assert lost, number
        assert recording.calls


def test_glued_lines_lose_nothing(tmp_path):
    lines = split()
    for number in range(len(lines) - 1):
        glued = [*lines[:number], lines[number][:-1], *lines[number + 1 :]]
        _, lost, replayed = recovered(tmp_path / "x.jsonl", b"".join(glued))
        assert replayed.status == "pass"
        assert lost == [f"line {number + 1}: 2 records read from one line"]


def test_nul_bytes_and_crlf(tmp_path):
    lines = split()
    data = b"".join(lines[:4]) + b"\0" * 100 + b"".join(lines[4:]).replace(b"\n", b"\r\n") + b"\0" * 4096
    _, lost, replayed = recovered(tmp_path / "x.jsonl", data)
    assert replayed.status == "pass"
    assert any(line.startswith("line 5: NUL bytes") for line in lost)


def test_a_broken_middle_is_told_by_line(tmp_path):
    lines = split()
    frame = index_of("frame", lines, 3)
    lines[frame] = lines[frame][:20] + b"\xff\n"
    recording, lost, _ = recovered(tmp_path / "x.jsonl", b"".join(lines))
    assert lost[0].startswith(f"line {frame + 1}: ")
    assert any("of call 0 is lost" in line for line in lost)
    assert any("events derived anew" in line for line in lost)
    assert [part.i for part in recording.calls[0].frames] == list(range(len(recording.calls[0].frames)))


def test_a_lost_header(tmp_path):
    recording, lost, replayed = recovered(tmp_path / "x.jsonl", b"".join(split()[1:]))
    assert recording.header["source"] == "recovered"
    assert replayed.status == "pass"
    assert any(line.startswith("the header is lost") for line in lost)


def test_a_lost_turn_keeps_its_calls(tmp_path):
    lines = split()
    del lines[index_of("turn", lines)]
    recording, lost, replayed = recovered(tmp_path / "x.jsonl", b"".join(lines))
    assert (len(recording.turns), len(recording.calls)) == (0, 2)
    assert replayed.status == "pass"
    assert any("whose own record is lost" in line for line in lost)


def test_a_lost_request_keeps_its_answer(tmp_path):
    lines = split()
    del lines[index_of("request", lines)]
    recording, lost, _ = recovered(tmp_path / "x.jsonl", b"".join(lines))
    assert recording.calls[0].frames
    assert recording.calls[0].wire is None
    assert any("stood in a lost one" in line for line in lost)


def test_a_lost_call_end(tmp_path):
    lines = split()
    del lines[index_of("call_end", lines)]
    recording, lost, replayed = recovered(tmp_path / "x.jsonl", b"".join(lines))
    assert recording.calls[0].end.kind == "eof"
    assert replayed.status == "pass"
    assert "call 0: its end is lost; taken as whole" in lost


def test_two_recordings_in_one_file(tmp_path):
    one, other = (ROOT / f"recordings/{name}.jsonl" for name in ("anthropic-tool-call", "openai-chat-tool-call"))
    recording, lost, replayed = recovered(tmp_path / "x.jsonl", one.read_bytes() + other.read_bytes())
    assert replayed.status == "pass"
    assert [call.number for call in recording.calls] == [0, 1, 2, 3]
    assert [turn.number for turn in recording.turns] == [0, 1]
    assert recording.end["calls"] == 4
    assert len(recording.resumes) == 1
    assert lost == [f"line {len(split(one)) + 1}: a second recording begins here; it is numbered on"]


def test_a_recording_joined_with_itself_is_that_recording(tmp_path):
    lines = split()
    for count in (2, 3):
        recording, lost, replayed = recovered(tmp_path / "x.jsonl", b"".join(lines) * count)
        assert replayed.status == "pass"
        assert (len(recording.calls), recording.end["calls"]) == (2, 2)
        assert lost == [
            f"line {len(lines) * number + 1}: the same recording begins again; what stands above already is left out"
            for number in range(1, count)
        ]


def test_a_recording_joined_with_a_longer_one_of_itself(tmp_path):
    lines = split()
    recording, lost, replayed = recovered(tmp_path / "x.jsonl", b"".join(lines[:9] + lines))
    assert (replayed.status, recording.end["calls"]) == ("pass", 2)
    assert lost == ["line 10: the same recording begins again; what stands above already is left out"]


def test_truncated_gzip(tmp_path):
    packed = gzip.compress(ROOT.joinpath("recordings/openai-responses-iterations.jsonl").read_bytes())
    recording, lost, _ = recovered(tmp_path / "x.jsonl.gz", packed[: len(packed) * 2 // 3])
    assert "the compressed data ends early" in lost
    assert recording.calls


def test_many_faults_are_all_told(tmp_path):
    data = b"".join(split()) + b"x\n" * 200
    _, lost, _ = recovered(tmp_path / "x.jsonl", data)
    assert len(lost) >= 200


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * 5000,
        b"no recording\n",
        b"\x89PNG\r\n\x1a\n\0\0\xff",
        b'{"a":1}\n',
        b'{"kind":"frame"}\n',
        split()[0],
    ],
    ids=["empty", "nul", "text", "binary", "json", "no-whole-record", "header-only"],
)
def test_nothing_to_recover_from(data, tmp_path):
    (tmp_path / "x.jsonl").write_bytes(data)
    with pytest.raises(UnreadableRecording):
        recover(tmp_path / "x.jsonl")


def test_a_folder_and_a_newer_version(tmp_path):
    with pytest.raises(UnreadableRecording, match="cannot read it"):
        recover(tmp_path)
    path = tmp_path / "x.jsonl"
    path.write_bytes(SESSION.read_bytes().replace(b'"version":1', b'"version":9', 1))
    with pytest.raises(NewerVersion):
        recover(path)


@pytest.mark.parametrize("seed", range(40))
def test_whatever_happens_to_a_file(seed, tmp_path):
    chance = random.Random(seed)
    data = bytearray(chance.choice(RECORDINGS).read_bytes())
    for _ in range(chance.randrange(1, 4)):
        place = chance.randrange(data.index(b"\n"), len(data))
        length = chance.randrange(1, 300)
        how = chance.randrange(5)
        if how == 0:
            data[place] = 0xFF
        elif how == 1:
            data[place : place + length] = bytes(length)
        elif how == 2:
            del data[place : place + length]
        elif how == 3:
            data[place:place] = data[place // 2 : place // 2 + length]
        else:
            lines = bytes(data).splitlines(keepends=True)
            chance.shuffle(lines)
            data = bytearray(b"".join(lines))
    try:
        recovered(tmp_path / "x.jsonl", bytes(data))
    except UnreadableRecording:
        assert not any(b'"kind":"request"' in line for line in bytes(data).splitlines())


def handed():
    if not SHARED.is_dir():
        return []
    files = json.loads((SHARED / "cases/57-torn-jsonl.json").read_text())["files"]
    texts = [
        item["bytes_text"].encode() if "bytes_text" in item else bytes.fromhex(item["bytes_hex"]) for item in files
    ]
    return list(zip([item["name"] for item in files], texts, strict=True))


@needs_shared
@pytest.mark.parametrize(("name", "data"), handed(), ids=lambda value: value if isinstance(value, str) else "")
def test_handed_cases_behind_a_session(name, data, tmp_path):
    _, lost, replayed = recovered(tmp_path / "x.jsonl", SESSION.read_bytes() + data)
    assert replayed.status == "pass"
    assert any("no record (its kind is null)" in line for line in lost)
