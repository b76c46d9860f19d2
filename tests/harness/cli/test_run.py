"""`harness run` against scripted servers: what is recorded where, what is told, when it stops, and how it goes on."""

from __future__ import annotations

import json
import shutil
from importlib.metadata import version
from pathlib import Path

import pytest

import harness
from harness.report.rendering import NAME
from tests.harness.cli.cli import call, refusal
from tests.harness.page.markup import assert_sound
from tests.harness.trials.trial_runs import MODEL, SUITE, TEXT, endless, said, server, write_suite
from tests.scripted import error, fixture

USD = "0.0001576"
"""What one trial costs that is answered with `TEXT`."""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_suite(tmp_path)
    return tmp_path


def run(url, *more, models=("a",)):
    named = [word for name in models for word in ("-m", f"{name}={MODEL}@{url}")]
    return call("run", "garden.suite.toml", *named, "--out", "trials", *more)


def data(result):
    assert result.exit_code in (0, 1), result.output
    return json.loads(result.stdout)


def recorded():
    return sorted(path.relative_to("trials").as_posix() for path in Path("trials").rglob("*.jsonl*"))


def test_each_trial_is_recorded_judged_and_told(folder):
    with endless() as provider:
        result = run(provider.url, "--repeat", "2", models=("a", "b"))
    assert result.exit_code == 0, result.output
    assert recorded() == [f"{m}/{t}.{n}.jsonl" for m in "ab" for t in ("seeds", "tea") for n in (1, 2)]
    recording = harness.open("trials/b/tea.2.jsonl", strict=True)
    assert recording.header["task"] == "tea"
    assert recording.header["tags"] == ["suite=garden", "case=When is tea?", "repeat=2", "model=b"]
    assert (recording.turns[0].input, recording.turns[0].mode) == ("When is tea?", "PLAN")
    assert Path("trials/b/tea.2.workspace/plan.txt").read_text("utf-8") == "Tea at four.\n"
    assert [*Path("trials/b/seeds.1.workspace").iterdir()] == []
    lines = result.stderr.splitlines()
    assert len(lines) == 8
    assert lines[0] == f"1/8 a, tea, repeat 1: 1 call, ${float(USD):.6f}, pass"
    assert lines[2].startswith("3/8 b, seeds, repeat 1: 1 call, $0.000158, fail: text: ")
    assert "8 trials planned: 2 tasks of garden, 2 models, 2 repeats; 8 run. Spent: $0.001261." in result.stdout
    assert "2 of 4" in result.stdout
    assert "no difference shown" in result.stdout
    assert result.stdout.endswith(f"trajectory-harness {version(NAME)}\n")


def test_the_report_names_what_answered_and_every_trial():
    with endless() as provider:
        found = data(run(provider.url, "--format", "json"))
    (model,) = found["models"]
    assert (model["planned"], model["run"], model["not_run"], model["cost_usd"]) == (2, 2, 0, "0.0003152")
    assert model["answered_as"] == ["openai/gpt-4.1-mini-2025-04-14"]
    assert [(one["task"], one["status"]) for one in found["trials"]] == [("tea", "pass"), ("seeds", "fail")]
    assert found["trials"][1]["reason"].startswith("text: ")
    assert found["comparison"]["contenders"][0]["passed"] == 1
    assert found["harness"] == version(NAME)


@pytest.mark.parametrize(("suffix", "begins"), [("md", "### Trials"), ("csv", "model,suite,case,task,repeat,status")])
def test_the_report_goes_into_a_file(suffix, begins):
    with endless() as provider:
        result = run(provider.url, "--report", f"found.{suffix}")
    assert (result.exit_code, result.stdout) == (0, "")
    assert Path(f"found.{suffix}").read_text("utf-8").startswith(begins)


def test_the_report_as_a_page():
    with endless() as provider:
        result = run(provider.url, "--repeat", "2", "--report", "found.html", models=("a", "b"))
        text = run(provider.url, "--repeat", "2", models=("a", "b")).stdout
    assert (result.exit_code, result.stdout) == (0, "")
    root = assert_sound(Path("found.html").read_text("utf-8"))
    assert root.all("h1")[0].whole == "Trials"
    plots = [one.whole for one in root.all("figcaption")]
    assert plots[:3] == ["Runs that passed", "Difference in success, against a", "What b took, against a"]
    (sentence,) = (line for line in text.splitlines() if "trials planned" in line)
    assert root.all("p")[0].whole == sentence
    failed = [one.all("summary")[0].whole for one in root.all("details", class_="tj-file")]
    assert failed == ["trials/a/seeds.1.jsonl", "trials/b/seeds.1.jsonl"]
    assert next(one.whole for one in root.all("a", href="#recording-0")) == failed[0]


def test_the_same_command_again_runs_nothing():
    with endless() as provider:
        first = run(provider.url)
        again = run(provider.url)
        assert len(provider.exchanges) == 2
    assert (again.exit_code, again.stderr, again.stdout) == (0, "", first.stdout)


def test_more_models_and_repeats_are_added():
    with endless() as provider:
        run(provider.url)
        kept = Path("trials/a/tea.1.jsonl").read_bytes()
        run(provider.url, "--repeat", "2")
        result = run(provider.url, models=("b",))
        assert len(provider.exchanges) == 8
    assert Path("trials/a/tea.1.jsonl").read_bytes() == kept
    assert "8 trials planned" in result.stdout


def test_a_filter_leaves_the_rest_for_later():
    with endless() as provider:
        result = run(provider.url, "--filter", "seeds")
        assert result.exit_code == 0
        assert "1 trial not run (not asked for this time), counted as not passed:\n  a, tea, repeat 1" in result.stdout
        assert "0 of 2" in result.stdout
        assert run(provider.url).exit_code == 0
        assert len(provider.exchanges) == 2
        assert 'no case with a prompt fits "zzz"' in refusal(
            "run", "garden.suite.toml", "-m", f"a={MODEL}@{provider.url}", "--out", "trials", "--filter", "zzz"
        )


def test_a_changed_case_is_refused_and_changed_checks_are_told(folder):
    with endless() as provider:
        run(provider.url)
        write_suite(folder, SUITE.replace("tomatoes", "seeds"))
        result = run(provider.url)
        assert "garden.suite.toml has changed since the first trials, but not what it asks" in result.stdout
        assert "2 of 2" in result.stdout
        write_suite(folder, SUITE.replace("Which seeds", "What seeds"))
        line = refusal("run", "garden.suite.toml", "-m", f"a={MODEL}@{provider.url}", "--out", "trials")
        assert 'trials: of the case "names the seeds" of garden `prompt` changed since; take another --out' in line
        write_suite(folder)
        Path("garden/plan.txt").write_text("Tea at five.\n", "utf-8")
        assert "`workspace` changed" in refusal(
            "run", "garden.suite.toml", "-m", f"a={MODEL}@{provider.url}", "--out", "trials"
        )
        assert run(provider.url, "--fresh").exit_code == 0
        assert len(provider.exchanges) == 4


def test_a_model_that_was_misspelt_is_forgotten():
    with server(lambda body, number: error(404, "no such model") if body["model"] == "wrong" else TEXT) as provider:
        name = f"a={MODEL}@{provider.url}"
        first = call("run", "garden.suite.toml", "-m", f"b=openai/wrong@{provider.url}", "-m", name, "--out", "trials")
        assert first.exit_code == 1
        assert "harness: b answered with an error of kind not_found" in first.stderr
        assert recorded() == ["a/seeds.1.jsonl", "a/tea.1.jsonl", "b/tea.1.jsonl"]
        shutil.rmtree("trials/b")
        result = call("run", "garden.suite.toml", "-m", name, "--out", "trials")
    assert "2 trials planned" in result.stdout


def test_provider_errors_fail_and_can_be_run_again():
    def answer(body, number):
        return error(400, "the seeds are out") if number == 1 else TEXT

    with server(answer) as provider:
        result = run(provider.url)
        assert result.exit_code == 1
        assert "1 trial ended in an error, counted as failed:" in result.stdout
        assert "a, seeds, repeat 1: invalid_request: Provider HTTP 400: the seeds are out" in result.stdout
        assert run(provider.url).exit_code == 1
        assert len(provider.exchanges) == 2
        again = data(run(provider.url, "--retry-errors", "--format", "json"))
        assert len(provider.exchanges) == 3
    (model,) = again["models"]
    assert (model["ended_in_error"], model["run_again_after_errors"]) == (0, 1)
    assert "a/seeds.1.jsonl.set-aside-1" in recorded()


def test_what_the_model_brought_about_is_not_run_again():
    blocked = fixture("gemini/prompt-blocked-number.sse")
    with endless(blocked) as provider:
        args = ("run", "garden.suite.toml", "-m", f"gemini/g@{provider.url}", "--out", "trials")
        assert call(*args).exit_code == 1
        assert call(*args, "--retry-errors").exit_code == 1
        assert len(provider.exchanges) == 2


def test_an_error_after_the_files_are_right_is_a_failure(folder):
    write_suite(folder, SUITE.split("[[case.check]]")[0] + '[[case.check]]\ntype = "file"\npath = "plan.txt"\n')
    with endless(error(400, "no")) as provider:
        found = data(run(provider.url, "--format", "json"))
    assert found["trials"][0]["status"] == "fail"
    assert found["trials"][0]["reason"].startswith("no_error: ")


def test_failures_are_retried_by_the_loop(monkeypatch):
    monkeypatch.setattr("agent.retry.delay", lambda *args: 0.0)
    with server(lambda body, number: error(503, "busy") if number == 0 else TEXT) as provider:
        found = data(run(provider.url, "--format", "json", "--filter", "tea"))
    assert (found["models"][0]["retries"], found["trials"][0]["status"]) == (1, "pass")


def test_the_ceiling():
    with endless() as provider:
        result = run(provider.url, "--repeat", "5", "--max-cost", "0.0004")
        assert result.exit_code == 1
        assert len(provider.exchanges) == 3
        reason = "--max-cost $0.000400 is reached: $0.000473 are spent"
        assert result.stderr.splitlines()[-1] == f"harness: {reason}"
        assert f"7 trials not run ({reason}), counted as not passed:" in result.stdout
        assert "2 of 5" in result.stdout
        again = run(provider.url, "--repeat", "5", "--max-cost", "0.0004")
        assert (again.exit_code, len(provider.exchanges)) == (1, 3)
        assert run(provider.url, "--repeat", "5", "--max-cost", "1").exit_code == 0
        assert len(provider.exchanges) == 10


def test_a_ceiling_needs_prices():
    with endless() as provider:
        args = ("run", "garden.suite.toml", "-m", f"mine/m@{provider.url}", "--out", "trials")
        line = refusal(*args, "--max-cost", "1")
        assert line == "harness: no price is known for mine/m: give --prices FILE, or leave out --max-cost"
        Path("p.toml").write_text('["mine/*"]\ninput = 1\noutput = 1\n', "utf-8")
        assert call(*args, "--max-cost", "1", "--prices", "p.toml").exit_code == 0
        assert len(provider.exchanges) == 2


def test_a_ceiling_cannot_be_kept_where_earlier_trials_have_no_price():
    with endless() as provider:
        assert call("run", "garden.suite.toml", "-m", f"mine/m@{provider.url}", "--out", "trials").exit_code == 0
        result = run(provider.url, "--max-cost", "1")
        assert len(provider.exchanges) == 2
    assert result.exit_code == 1
    assert "what mine/m costs is not known, so --max-cost cannot be kept" in result.stderr
    assert "2 trials not run (what mine/m costs is not known" in result.stdout


def test_trials_never_see_one_anothers_files(folder):
    write_suite(folder, SUITE.replace('workspace = "garden"', 'workspace = "garden"\nmode = "FIX"'))

    seen = []

    def answer(body, number):
        results = [message for message in body["messages"] if message["role"] == "tool"]
        if not results:
            return said("", calls=(("write_file", {"path": "mine.txt", "content": "mine"}), ("list_dir", {})))
        seen.append(results[-1]["content"])
        return TEXT

    with server(answer) as provider:
        found = run(provider.url, "--repeat", "3", "--jobs", "3", "--filter", "tea", models=("a", "b"))
    assert found.exit_code == 0, found.output
    assert {*seen} == {"mine.txt  4\nplan.txt  13"}
    kept = [*Path("trials").glob("*/tea.*.workspace")]
    assert len(kept) == 6
    for workspace in kept:
        assert sorted(file.name for file in workspace.iterdir()) == ["mine.txt", "plan.txt"]
    assert sorted(file.name for file in Path("garden").iterdir()) == ["plan.txt"]


def test_jobs_run_at_once():
    waiting = []

    def answer(body, number):
        waiting.append(number)
        return TEXT

    with server(answer) as provider:
        result = run(provider.url, "--repeat", "4", "--jobs", "4")
    assert (result.exit_code, len(waiting)) == (0, 8)
    assert len(recorded()) == 8


@pytest.mark.parametrize(
    ("change", "args", "problem"),
    [
        (None, ["garden.suite.toml"], "no model: name one or more"),
        (None, ["garden.suite.toml", "-m", "openai/m"], "--model openai/m: no API key for openai"),
        (None, ["garden.suite.toml", "-m", "x/m@http://h", "--max-cost", "0"], "'0' is no amount of dollars"),
        (None, ["garden.suite.toml", "-m", "x/m@http://h", "--max-cost", "ten"], "'ten' is no amount of dollars"),
        (None, ["none.suite.toml", "-m", "x/m@http://h"], "there is no such file"),
        (("prompt = ", "answer = "), ["garden.suite.toml", "-m", "x/m@http://h"], "no case has a `prompt`"),
        (('task = "seeds"', 'task = "tea"'), ["garden.suite.toml", "-m", "x/m@http://h"], 'have the same task "tea"'),
    ],
    ids=["no model", "no key", "no ceiling", "no number", "no suite", "no prompt", "one task"],
)
def test_what_is_refused_before_anything_is_paid_for(folder, change, args, problem):
    if change is not None:
        write_suite(folder, SUITE.replace(*change))
    assert problem in refusal("run", *args, "--out", "trials")


def test_folders_that_are_refused(folder):
    args = ("run", "garden.suite.toml", "-m", "x/m@http://127.0.0.1:9", "--out")
    assert "the trials would see one another" in refusal(*args, "garden/trials")
    assert "case[0].workspace" in refusal(*args, "garden/trials")
    assert not Path("garden/trials").exists()
    Path("garden/link").symlink_to("../secret")
    assert "garden/link: this link leads outside of the workspace, to ../secret" in refusal(*args, "trials")
    Path("garden/link").unlink()
    Path("mine").mkdir()
    Path("mine/thesis.txt").write_text("years of work", "utf-8")
    assert "mine: it holds thesis.txt but no trials; name a new or empty folder" in refusal(*args, "mine", "--fresh")
    assert [*Path("mine").iterdir()] == [Path("mine/thesis.txt")]
