from __future__ import annotations

import json
import re

import pytest

from harness.recording.opening import open as open_recording
from harness.replaying.replayer import replay_recording
from tests.command import ROOT, harness
from tests.harness.damaged import DAMAGES
from tests.harness.judging import SESSIONS, judged, setting
from tests.harness.sessions import Turn, change, failure, record
from tests.harness.turns import ANSWER, LEFT, LOOKS


@pytest.fixture(scope="module")
def recordings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recordings")
    return {name: record(folder / f"{i}.jsonl", *turns) for i, (name, turns) in enumerate(SESSIONS.items())}


@pytest.mark.parametrize("name", SESSIONS)
def test_a_process_that_died_after_any_line(recordings, name, tmp_path):
    lines = recordings[name].read_bytes().splitlines(keepends=True)
    path = tmp_path / "cut.jsonl"
    for count in range(1, len(lines) + 1):
        path.write_bytes(b"".join(lines[:count]))
        found = judged(path)
        assert (found.status, found.reason) == ("pass", None), f"after line {count}"
        assert len(found.warnings) == (count < len(lines))


@pytest.mark.parametrize("name", SESSIONS)
def test_a_torn_last_line_is_left_out(recordings, name, tmp_path):
    lines = recordings[name].read_bytes().splitlines(keepends=True)
    for count in range(2, len(lines), 3):
        path = tmp_path / "torn.jsonl"
        path.write_bytes(b"".join(lines[:count])[:-9])
        found = judged(path)
        assert (found.status, found.reason) == ("pass", None)
        assert any("torn" in warning for warning in found.warnings)


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_recording_is_no_pass(name, tmp_path):
    damage, said = DAMAGES[name]
    path = tmp_path / ("r.jsonl.gz" if "gzip" in name else "r.jsonl")
    path.write_bytes(damage((ROOT / "recordings/openai-chat-text.jsonl").read_bytes()))
    found = judged(path)
    assert (found.verdicts[0].check, found.verdicts[0].status) == ("read", "error")
    assert said in (found.verdicts[0].reason or "")
    done = harness("replay", path, cwd=tmp_path)
    assert (done.returncode, "1 unusable" in done.stdout) == (2, True)


def test_whole_records_in_one_line_are_judged(recordings, tmp_path):
    lines = recordings["anthropic"].read_bytes().splitlines(keepends=True)
    path = tmp_path / "glued.jsonl"
    path.write_bytes(b"".join([*lines[:4], lines[4][:-1], *lines[5:]]))
    found = judged(path)
    assert (found.status, found.warnings) == ("pass", ["line 5: 2 records read from one line"])


@pytest.mark.parametrize("name", SESSIONS)
def test_no_record_can_be_left_out(recordings, name, tmp_path):
    """A line that is missing in the middle is noticed, but for those that say nothing about the course."""
    lines = recordings[name].read_bytes().splitlines(keepends=True)
    for index, line in enumerate(lines[:-1]):
        path = tmp_path / "gap.jsonl"
        path.write_bytes(b"".join(lines[:index] + lines[index + 1 :]))
        value = json.loads(line)
        silent = value["kind"] == "header" or (value["kind"] == "loop" and value["event"] in ("done", "cancelled"))
        found = judged(path)
        assert (found.status != "pass") or silent, f"line {index + 1}: {line[:200]}"


@pytest.mark.parametrize("name", ["tools and retries", "failures", "anthropic"])
def test_no_two_records_can_change_places(recordings, name, tmp_path):
    lines = recordings[name].read_bytes().splitlines(keepends=True)
    for index in range(1, len(lines) - 2):
        path = tmp_path / "swapped.jsonl"
        path.write_bytes(b"".join([*lines[:index], lines[index + 1], lines[index], *lines[index + 2 :]]))
        judged(path)


def test_a_defect_of_the_program_says_so(tmp_path, monkeypatch):
    path = record(tmp_path / "r.jsonl", Turn([ANSWER]))

    def fail(*arguments, **options):
        raise ZeroDivisionError("a\nbug")

    monkeypatch.setattr("harness.replaying.rerun.run_turn", fail)
    found = replay_recording(path)
    assert [verdict.status for verdict in found.verdicts] == ["pass", "error"]
    assert found.reason == "this program failed on it, please report it: ZeroDivisionError: a bug"


def test_calls_without_a_turn_are_derived_only(tmp_path):
    path = record(tmp_path / "r.jsonl", Turn([ANSWER]))
    alone = change(path, lambda value: value["kind"] not in ("turn", "loop") and value.pop("turn", 0) is not None)
    found = judged(alone)
    assert (found.status, [verdict.check for verdict in found.verdicts]) == ("pass", ["events"])
    assert judged(change(alone, setting("frame", ["raw"], lambda raw: raw.replace("Hel", "Hal")), "x.jsonl")).reason


def test_no_base_url_means_the_providers_own(tmp_path):
    path = record(tmp_path / "r.jsonl", Turn([LOOKS, ANSWER]))
    for provider, base_url in (("openai", None), ("openai", "http://127.0.0.1:1/v1")):

        def apply(value, provider=provider, base_url=base_url):
            if value["kind"] == "turn":
                value |= {"provider": provider, "base_url": base_url}

        assert judged(change(path, apply)).status == "pass"


def test_several_processes(recordings, tmp_path):
    broken = change(recordings["failures"], setting("frame", ["raw"], "data: {}\n\n"), "broken.jsonl")
    paths = [str(path) for path in (*recordings.values(), broken)]
    (tmp_path / "not.jsonl").write_text("{}\n")

    def run(*arguments):
        return harness("replay", *arguments, cwd=tmp_path)

    one, two = run("--json", *paths), run("--json", "--jobs", "2", *paths)
    assert (one.returncode, two.returncode, two.stderr) == (1, 1, "")

    def timeless(text):
        return re.sub(r'"seconds":[0-9.e-]+', "", text)

    assert timeless(one.stdout) == timeless(two.stdout)
    done = run("-j", "2", *paths, str(tmp_path))
    assert done.returncode == 2
    assert f"{len(SESSIONS)} passed, 1 failed, 1 unusable" in done.stdout


def test_what_a_replay_shows(tmp_path):
    found = judged(record(tmp_path / "r.jsonl", Turn([failure(429), LOOKS, ANSWER]), Turn([ANSWER])))
    assert (found.path, found.calls, found.turns) == (tmp_path / "r.jsonl", 4, 2)
    assert found.seconds > 0
    assert open_recording(found.path).end["errors"] == 1


def test_a_closed_recording_has_an_end_of_every_call(tmp_path):
    path = record(tmp_path / "r.jsonl", LEFT["waiting for a chunk"])
    ends = change(path, lambda value: value["kind"] != "call_end")
    assert judged(ends).reason == "call 0 has no end"
