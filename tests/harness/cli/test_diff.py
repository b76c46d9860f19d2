"""`harness diff`."""

from __future__ import annotations

import csv
import io
import json

import pytest

from harness.cli import diff
from tests.harness.cli.cli import call, refusal
from tests.harness.diff.runs import run, text, tool

SUITE = '[[case]]\ntask = "{task}"\n[[case.check]]\ntype = "text"\ncontains = ["four"]\n'


def answers(folder, name, *words, task="sum", path="a"):
    """Runs of a task, one for each last text."""
    return [
        run(folder / name / f"{task}.{n}.jsonl", [tool("read", path=path)], [text(f"the answer is {word}")], task=task)
        for n, word in enumerate(words)
    ]


def table(*paths, **options):
    return json.loads(call("diff", *paths, "--format", "json", **options).stdout)


def test_two_recordings(tmp_path):
    (one,), (other,) = answers(tmp_path, "a", "four"), answers(tmp_path, "b", "four", path="b")
    result = call("diff", one, other)
    assert result.exit_code == 1
    assert '!   input.path: "a" -> "b"' in result.stdout
    assert call("diff", one, one).exit_code == 0
    assert call("diff", one, other).stdout == result.stdout


def test_what_never_counts_is_shown_on_request(tmp_path):
    one = run(tmp_path / "a.jsonl", [text("end")])
    other = run(tmp_path / "b.jsonl", [text("end")])
    result = call("diff", one, other, "--all")
    assert result.exit_code == 0
    assert "header.id" in result.stdout
    assert "header.id" not in call("diff", one, other).stdout


def test_folders_with_one_run_a_task(tmp_path):
    for task in ("x", "y"):
        answers(tmp_path, "a", "four", task=task)
        answers(tmp_path, "b", "four", task=task, path="b" if task == "y" else "a")
    result = call("diff", tmp_path / "a", tmp_path / "b")
    assert result.exit_code == 1
    assert "no step differs (4 steps)" in result.stdout
    assert "1 changed, from step 1 on" in result.stdout
    assert "input.path" not in result.stdout
    assert "input.path" in call("diff", tmp_path / "a", tmp_path / "b", "--details").stdout
    assert call("diff", tmp_path / "a", tmp_path / "b", "--task", "x").exit_code == 0


def test_a_task_without_a_partner_is_named(tmp_path):
    answers(tmp_path, "a", "four"), answers(tmp_path, "b", "four"), answers(tmp_path, "a", "four", task="more")
    result = call("diff", tmp_path / "a", tmp_path / "b")
    assert result.exit_code == 1
    assert "b: 1 run of more" in result.stdout
    assert "1 of 2" in result.stdout


def test_repeated_runs_judged_by_a_suite(tmp_path):
    answers(tmp_path, "a", *["four"] * 5), answers(tmp_path, "b", *["four", "five"] * 2, "four")
    suite = tmp_path / "s.suite.toml"
    suite.write_text(SUITE.format(task="sum") + SUITE.format(task="other"))
    result = call("diff", tmp_path / "a", tmp_path / "b", "--suite", suite)
    assert result.exit_code == 0, result.output
    assert "success: no difference shown: -40 points" in result.stdout
    assert "5 runs cannot show any" in result.stdout
    assert "b: sum, 2 of 5: fail: text:" in result.stdout
    assert "Tasks of the suite that no contender ran; they do not count:\n  other" in result.stdout
    data = table(tmp_path / "a", tmp_path / "b", "--suite", suite)
    assert [one["passed"] for one in data["contenders"]] == [5, 3]
    assert (data["suite"], data["not_run"]) == (str(suite), ["other"])
    assert set(data["contenders"][1]["pass_hat_k"]) == {"1", "2", "3", "4", "5"}


def test_a_difference_that_is_shown_among_three(tmp_path):
    for task in map(str, range(8)):
        for name, word in (("a", "four"), ("b", "five"), ("c", "four")):
            answers(tmp_path, name, word, word, task=task)
    suite = tmp_path / "s.suite.toml"
    suite.write_text("".join(SUITE.format(task=task) for task in range(8)))
    result = call("diff", *(tmp_path / name for name in "abc"), "--suite", suite, "--format", "markdown")
    assert result.exit_code == 1
    assert "success: worse: -100 points" in result.stdout
    assert "corrected" in result.stdout
    assert "| c | 16 of 16 | 100% |" in result.stdout
    assert "  - c: openai/m-1\n" in result.stdout


def test_several_processes_give_the_same(tmp_path):
    """Also of values that one side does not have."""
    for task in ("x", "y", "z"):
        run(tmp_path / "a" / f"{task}.jsonl", [tool("read", path="a")], [text("end")], task=task)
        run(tmp_path / "b" / f"{task}.jsonl", [tool("read", file="a")], [text("end")], task=task)
    one, two = (call("diff", tmp_path / "a", tmp_path / "b", "--details", "--format", "json", "-j", n) for n in (1, 2))
    assert one.stdout == two.stdout
    (change,) = json.loads(two.stdout)["tasks"][0]["comparisons"][0][0]["changes"]
    assert change["differences"] == [{"path": "input.path", "one": "a"}, {"path": "input.file", "other": "a"}]


def test_csv_has_a_line_a_run(tmp_path):
    answers(tmp_path, "a", "four", "five"), answers(tmp_path, "b", "four", "four")
    rows = [*csv.DictReader(io.StringIO(call("diff", tmp_path / "a", tmp_path / "b", "--format", "csv").stdout))]
    assert [(row["contender"], row["number"], row["changed"]) for row in rows] == [
        ("a", "0", ""), ("a", "1", ""), ("b", "0", "0"), ("b", "1", "1"),
    ]  # fmt: skip


def test_a_recording_that_cannot_be_read(tmp_path):
    (one,) = answers(tmp_path, "a", "four")
    answers(tmp_path, "b", "four")
    bad = tmp_path / "b" / "bad.jsonl"
    bad.touch()
    result = call("diff", tmp_path / "a", tmp_path / "b")
    assert result.exit_code == 2
    assert result.stderr == f"harness: {bad}: the file is empty (record again)\n"
    assert "Recordings that cannot be read:" in result.stdout
    assert "bad.jsonl" in refusal("diff", one, bad)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["a"], "two recordings or folders"),
        (["a", "nowhere"], "no such file or folder"),
        (["a", "b", "--task", "nothing"], 'the task "nothing": there are sum'),
        (["a/sum.0.jsonl", "b/sum.0.jsonl", "--details"], "are for folders"),
        (["a", "b", "--suite", "none.suite.toml"], "none.suite.toml"),
    ],
)
def test_misuse(tmp_path, monkeypatch, words, said):
    answers(tmp_path, "a", "four"), answers(tmp_path, "b", "four")
    monkeypatch.chdir(tmp_path)
    assert said in refusal("diff", *words)


def test_colours_on_a_terminal_only(tmp_path, monkeypatch):
    (one,), (other,) = answers(tmp_path, "a", "four"), answers(tmp_path, "b", "five six")
    assert "\x1b" not in call("diff", one, other).stdout
    monkeypatch.setattr(diff, "_takes_colours", lambda: True)
    monkeypatch.setattr(diff.click, "echo", lambda text, **more: shown.append(text))
    shown: list[str] = []
    call("diff", one, other)
    assert "\x1b[31m[-four-]\x1b[0m" in shown[0]
    assert "\x1b[32m{+five six+}\x1b[0m" in shown[0]
