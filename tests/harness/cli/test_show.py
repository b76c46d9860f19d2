from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from harness.cli import main
from tests.command import ROOT, environment, harness
from tests.harness.page.markup import assert_sound
from tests.harness.report.session import session, write


@pytest.fixture
def file(tmp_path):
    return write(tmp_path / "x.jsonl", session())


def show(*arguments):
    return CliRunner().invoke(main, ["show", *map(str, arguments)])


def test_a_file(file):
    done = show(file)
    assert done.exit_code == 0
    assert done.output.splitlines()[0] == str(file)
    assert "  ending     ok (stop reason: stop)" in done.output.splitlines()
    assert done.stderr == ""


def test_frames_and_events_of_one_call(file):
    done = show(file, "--call", 2, "--frames", "--events")
    assert done.exit_code == 0
    assert "data: 1⏎⏎" in done.output
    assert '"the answer"' in done.output
    assert "call 1" not in done.output


def test_json(file):
    done = show(file, "--json", "--call", 0, "--frames")
    data = json.loads(done.output)
    assert done.output.count("\n") == 1
    assert (data["totals"]["calls"], len(data["calls"])) == (4, 1)
    assert data["calls"][0]["body_list"][0]["raw"] == "{}"


def test_a_folder(file, tmp_path):
    (tmp_path / "deep").mkdir()
    write(tmp_path / "deep" / "y.jsonl", session(None))
    for paths in ([tmp_path], [file, tmp_path / "deep" / "y.jsonl"], [f"{tmp_path}/**/*.jsonl"]):
        done = show(*paths)
        assert done.exit_code == 0
        lines = done.output.splitlines()
        assert sorted(line.split()[-1] for line in lines[2:4]) == [str(tmp_path / "deep" / "y.jsonl"), str(file)]
        assert lines[-1] == "2 recordings · 8 calls · tokens in 40, out 20 · $0.000123 + unpriced"


def test_an_unreadable_file_in_a_folder(file, tmp_path):
    (tmp_path / "bad.jsonl").write_text("nothing\n")
    done = show(tmp_path)
    assert done.exit_code == 2
    assert "unreadable" in done.output.splitlines()[2]
    done = show(tmp_path, "--json")
    assert done.exit_code == 2
    bad, good, totals = map(json.loads, done.output.splitlines())
    assert bad["fault"].startswith(str(tmp_path / "bad.jsonl"))
    assert (good["calls"], good["cost_usd"], good["fault"]) == (4, "0.000123", None)
    assert totals["totals"]["unreadable"] == 1


def test_a_page(file, tmp_path):
    page = show(file, "--format", "html").output
    assert_sound(page)
    done = show(file, "--out", tmp_path / "new" / "x.html")
    assert (done.exit_code, done.output) == (0, "")
    assert (tmp_path / "new" / "x.html").read_text("utf-8") == page
    assert 'id="t-call-2"' in page
    one = show(file, "--format", "html", "--call", 2).output
    assert ("t-call-2" in one, 'id="t-call-1"' in one) == (True, False)


def test_a_page_of_a_folder(file, tmp_path):
    (tmp_path / "bad.jsonl").write_text("nothing\n")
    done = show(tmp_path, "--out", tmp_path / "all.html")
    assert (done.exit_code, done.output) == (2, "")
    root = assert_sound((tmp_path / "all.html").read_text("utf-8"))
    assert [one.attributes["id"] for one in root.all("section", class_="tj")] == ["r0"]


def test_out_writes_what_is_printed_otherwise(file, tmp_path):
    for name, option in (("x.txt", "text"), ("x.json", "json")):
        assert show(file, "--out", tmp_path / name).output == ""
        assert (tmp_path / name).read_text("utf-8") == show(file, "--format", option).output
    assert show(file, "--json").output == show(file, "--format", "json").output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x.jsonl", "--call", "9"], "x.jsonl: there is no call 9; its calls are 0 to 3"),
        (["bare.jsonl", "--call", "0"], "bare.jsonl: there is no call 0; it has no calls"),
        (["empty"], "empty: no recording in this folder"),
        (["nowhere"], "nowhere: there is no such file or folder"),
        (["bad.jsonl"], "bad.jsonl:1: not a recording"),
        (["new.jsonl"], "new.jsonl:1: format version 9 is newer than 1"),
        ([".", "--frames"], "--frames shows a single recording: name one file"),
        (["x.jsonl", "bad.jsonl", "--call", "0"], "--call shows a single recording: name one file"),
        (["x.jsonl", "--out", "x.jsonl"], "x.jsonl: a report does not go into a recording: give it a name such as"),
        (["x.jsonl", "--out", "empty"], "empty: this is a folder: name a file in it"),
    ],
)
def test_errors_are_one_line(file, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.jsonl").write_text('{"a":1}\n')
    write(tmp_path / "bare.jsonl", session()[:1])
    write(tmp_path / "new.jsonl", [session()[0] | {"version": 9}])
    done = show(*arguments)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"harness: {message}")
    assert done.stderr.count("\n") == 1


def on_a_terminal(arguments, columns, **environ):
    """What the command writes to a terminal of `columns` columns."""
    pty = pytest.importorskip("pty", reason="no pseudo-terminals here")
    code = "import sys; from harness.cli import main; main(sys.argv[1:])"
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=theirs,
        env={**os.environ, "COLUMNS": str(columns), "PYTHONPATH": str(ROOT), **environ},
    )
    os.close(theirs)
    found = b""
    try:
        while part := os.read(ours, 65536):
            found += part
    except OSError:  # how Linux says that the other side is closed
        pass
    os.close(ours)
    assert process.wait() == 0
    return found.decode().replace("\r\n", "\n")


def test_colour_and_width_of_a_terminal(file):
    coloured = on_a_terminal(["show", file], 50, NO_COLOR="")
    assert "\x1b[1mturn 0\x1b[0m" in coloured
    plain = on_a_terminal(["show", file], 50, NO_COLOR="1")
    assert "\x1b" not in plain
    assert max(map(len, plain.splitlines()[1:])) <= 50


@pytest.mark.parametrize("width", [80, 100])
def test_many_on_a_narrow_terminal(width, monkeypatch):
    monkeypatch.chdir(ROOT)
    found = on_a_terminal(["show", "recordings"], width).splitlines()
    assert max(map(len, found)) <= width
    assert "recordings/anthropic-edit.jsonl · anthropic/claude-haiku-4-5" in found
    assert on_a_terminal(["show", "--full", "recordings"], width).startswith("date (UTC) ")


def test_an_output_that_cannot_encode_everything(file, tmp_path):
    done = harness("show", file, cwd=tmp_path, environ={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert "\\xb7" in done.stdout


def test_minimal_environment(file, tmp_path):
    assert "COLUMNS" not in environment(tmp_path)
    done = harness("show", file.name, cwd=tmp_path)
    assert done.stdout.startswith("x.jsonl\n")
