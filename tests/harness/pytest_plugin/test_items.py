"""Recordings as test items, in runs of pytest."""

from __future__ import annotations

import shutil
import sys

import pytest

from harness.pytest_plugin.items import is_asked_for, is_recording
from tests.harness.damaged import DAMAGES
from tests.harness.plugin_runs import QUIET, ROOT, WITH_PLUGIN, XDIST

pytest_plugins = ["pytester"]

GOOD = ROOT / "recordings" / "openai-chat-text.jsonl"


class TestCollection:
    @pytest.fixture
    def folder(self, pytester):
        folder = pytester.mkdir("recordings")
        shutil.copy(GOOD, folder / "good.jsonl")
        return folder

    def test_recordings_are_replayed(self, run, folder):
        bad = (folder / "good.jsonl").read_text().replace('"text":"Hello', '"text":"Hullo')
        (folder / "bad.jsonl").write_text(bad)
        result = run("recordings/", "-v")
        result.assert_outcomes(passed=1, failed=1)
        result.stdout.fnmatch_lines(["recordings/bad.jsonl::replay FAILED*", "recordings/good.jsonl::replay PASSED*"])
        result.stdout.fnmatch_lines(['events differ from the recording: call 0, event *recorded "Hullo*'])
        result.stdout.no_fnmatch_line("*Traceback*")

    def test_what_cannot_be_read_is_told_where_it_is_named(self, run, folder):
        (folder / "other.jsonl").write_text('{"a": 1}\n')
        run("recordings").assert_outcomes(passed=1)
        result = run("recordings/other.jsonl")
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["read: *other.jsonl:*"])

    def test_what_is_damaged_fails(self, run, folder):
        for number, (name, (damage, _)) in enumerate(DAMAGES.items()):
            suffix = ".jsonl.gz" if "gzip" in name else ".jsonl"
            (folder / f"{number}{suffix}").write_bytes(damage(GOOD.read_bytes()))
        result = run("recordings")
        result.assert_outcomes(passed=1, failed=len(DAMAGES))
        result.stdout.fnmatch_lines(["read: the compressed data ends early"])

    def test_nothing_is_collected_unasked(self, run, pytester, folder):
        pytester.makepyfile("def test_one(): pass")
        run().assert_outcomes(passed=1)
        run(".").assert_outcomes(passed=2)
        pytester.makeini("[pytest]\ntestpaths = recordings")
        run().assert_outcomes(passed=1)

    def test_in_parallel(self, run, pytester, folder):
        pytest.importorskip("xdist")
        for number in range(4):
            shutil.copy(GOOD, folder / f"{number}.jsonl")
        pytester.makepyfile("def test_one(): pass")
        run(*XDIST, "recordings", other=True).assert_outcomes(passed=5)
        run(*XDIST, other=True).assert_outcomes(passed=1)

    def test_a_foreign_agent_is_one_line(self, run, pytester, folder):
        pytester.makepyfile(
            **{"agent/__init__": "", "test_mine": "import agent\ndef test_mine(): assert agent.__file__"}
        )
        pytester.makepyfile(test_other="def test_other(recording): pass")
        script = (
            "import sys; sys.path.insert(0, '.'); import pytest;"
            f"sys.exit(pytest.main({[*WITH_PLUGIN, *QUIET]!r} + sys.argv[1:]))"
        )
        done = pytester.run(sys.executable, "-c", script, "recordings", "test_mine.py", "test_other.py")
        done.stdout.fnmatch_lines(["*/agent is imported as `agent`, the name of a package that *needs*"])
        done = pytester.run(sys.executable, "-c", script, "test_mine.py", "test_other.py")
        done.assert_outcomes(passed=1, errors=1)
        done.stdout.fnmatch_lines(["*/agent is imported as `agent`*"])


class TestAsked:
    def test_recordings_of_tests_are_theirs(self, tmp_path):
        own = tmp_path / "tests" / "recordings" / "test_a"
        own.mkdir(parents=True)
        (tmp_path / "tests" / "test_a.py").write_text("")
        path = own / "test_one.jsonl"
        assert not is_asked_for(path, [tmp_path / "tests"])
        assert not is_asked_for(path, [tmp_path])
        assert is_asked_for(path, [own.parent])
        assert is_asked_for(path, [own])
        assert is_asked_for(path, [path])
        assert is_asked_for(tmp_path / "runs" / "a.jsonl", [tmp_path])
        assert not is_asked_for(tmp_path / "runs" / "a.jsonl", [tmp_path / "tests"])
        assert not is_asked_for(path, [])

    def test_only_recordings_are_recordings(self, tmp_path):
        assert is_recording(GOOD)
        for name, content in (("a", b'{"x":1}\n'), ("b", b""), ("c.gz", b"no gzip")):
            (tmp_path / name).write_bytes(content)
            assert not is_recording(tmp_path / name)
        assert not is_recording(tmp_path / "missing")
