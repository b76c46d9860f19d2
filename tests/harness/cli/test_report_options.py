from __future__ import annotations

import io
import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from harness.cli.report_options import Output, deliver, report_options
from harness.errors import HarnessError
from harness.report.report import Report
from tests.harness.cli.cli import call, refusal
from tests.harness.page.markup import assert_sound

REPORT = Report(["what it says"], {"n": 1}, ("n",), [[1]])


@click.command()
@click.argument("paths", nargs=-1)
@report_options
def command(paths, form, out):
    deliver(REPORT, Output(form, out), "sample")


def run(*args: str) -> str:
    result = CliRunner().invoke(command, args, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_on_the_terminal():
    assert run("a").splitlines()[0] == "what it says"
    assert json.loads(run("a", "--format", "json"))["n"] == 1


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("x.md", "what"),
        ("x.csv", "n\n1\n"),
        ("x.json", "{"),
        ("x.txt", "what"),
        ("x", "what"),
        ("new/x.JSON", "{"),
        ("x.html", "<!doctype html>"),
        ("x.htm", "<!doctype html>"),
    ],
)
def test_the_name_tells_the_format(tmp_path, name, begins):
    assert run("a", "--out", str(tmp_path / name)) == ""
    assert (tmp_path / name).read_text("utf-8").startswith(begins)


def test_a_page_on_the_terminal():
    root = assert_sound(run("a", "--format", "html"))
    assert root.all("main")[0].whole == "what it says"


@pytest.mark.parametrize(
    ("form", "out", "tells"),
    [
        ("json", None, True),
        ("html", None, True),
        (None, "x.html", True),
        (None, "x.md", False),
        ("text", "x.json", False),
    ],
)
def test_programs_and_plots_take_all_that_is_known(form, out, tells):
    assert Output(form, out).tells_all is tells


def test_the_format_wins_over_the_name(tmp_path):
    run("a", "--out", str(tmp_path / "x.md"), "--format", "json")
    assert json.loads((tmp_path / "x.md").read_bytes())["n"] == 1


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("a", "--out"), "sample.md"),
        (("--out", "--format", "csv", "a"), "sample.csv"),
        (("a", "--format", "html", "--out"), "sample.html"),
    ],
    ids=["last", "before another option", "a page"],
)
def test_without_a_name_it_goes_to_the_reports(tmp_path, monkeypatch, args, expected):
    monkeypatch.chdir(tmp_path)
    run(*args)
    assert [path.name for path in Path("reports").iterdir()] == [expected]


@pytest.mark.parametrize("name", ["session.jsonl", "session.jsonl.gz"])
def test_a_recording_is_not_overwritten(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"precious")
    with pytest.raises(HarnessError, match="a report does not go into a recording"):
        deliver(REPORT, Output(None, str(path)), "sample")
    assert path.read_bytes() == b"precious"


@pytest.mark.parametrize(
    ("name", "problem"), [("", "this is a folder"), ("file/x.md", "cannot be written")], ids=["folder", "below a file"]
)
def test_what_cannot_be_written(tmp_path, name, problem):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(HarnessError, match=problem):
        deliver(REPORT, Output(None, str(tmp_path / name)), "sample")


@pytest.mark.parametrize(
    ("name", "kind"), [("x.jsonl", "recording"), ("x.jsonl.gz", "recording"), ("x.suite.toml", "suite")]
)
def test_input_is_not_written_over(tmp_path, name, kind):
    with pytest.raises(HarnessError, match=f"a report does not go into a {kind}: give it a name such as sample.md"):
        deliver(REPORT, Output(None, str(tmp_path / name)), "sample")
    assert not any(tmp_path.iterdir())


def test_halves_of_characters_are_written_as_escapes(tmp_path):
    deliver(Report(["a"], {}, ("n",), [["\udcff"]]), Output("csv", str(tmp_path / "x.csv")), "sample")
    assert (tmp_path / "x.csv").read_text() == "n\n\\udcff\n"


class Full(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")


def test_what_cannot_be_printed_is_said(monkeypatch):
    monkeypatch.setattr("sys.stdout", Full())
    with pytest.raises(HarnessError, match="the report cannot be printed: No space left on device"):
        deliver(REPORT, Output(None, None), "sample")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("folder", "folder: this is a folder: name a file in it, such as folder/report.md"),
        ("x.jsonl", "x.jsonl: a report does not go into a recording: give it a name such as report.md"),
        ("file/x.md", "file/x.md: cannot be written: "),
        ("locked/new/x.md", "locked/new/x.md: cannot be written: "),
    ],
)
def test_it_is_refused_before_anything_is_done(tmp_path, monkeypatch, name, problem):
    """A run that cost an hour, or money, is not lost for the name of its report."""
    monkeypatch.chdir(tmp_path)
    for folder in ("folder", "locked"):
        Path(folder).mkdir()
    Path("file").touch()
    monkeypatch.setattr("harness.cli.report_options.os.access", lambda path, mode: Path(path).name != "locked")
    for command in (["sweep"], ["cost"], ["suite", "run"], ["diff", "b"]):
        assert refusal(*command, "nothing", "--out", name).startswith(f"harness: {problem}")
    junit = refusal("suite", "run", "nothing", "--junit", name)
    assert junit.startswith(f"harness: {problem.replace('report.md', 'report.xml')}")
    assert refusal("run", "nothing", "--out", "trials", "--report", name).startswith(f"harness: {problem}")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder", "locked"]


def test_a_device_takes_a_report():
    assert call("cost", "recordings/", "--out", "/dev/null").exit_code == 0
