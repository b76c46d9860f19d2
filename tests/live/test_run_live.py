"""`harness run` with two differently made models on two real servers, five repeats of a small suite."""

from __future__ import annotations

import json

import pytest

import harness as library
from tests.command import harness
from tests.llamacpp import llamacpp

ONE_TASK = """
[[case]]
name = "greets in few words"
task = "greet"
prompt = "Say hello."
tools = false
[[case.check]]
type = "text"
contains = ["Zoë"]
[[case.check]]
type = "budget"
output_tokens = 18
"""
MORE_TASKS = """
[[case]]
name = "looks before it speaks"
task = "look"
prompt = "What is here?"
workspace = "garden"
[[case.check]]
type = "tool_count"
total = { min = 1 }
[[case.check]]
type = "file"
path = "plan.txt"
equals = "Tea at four.\\n"
"""


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """The URL of a server whose model does not think."""
    with llamacpp(tmp_path_factory.mktemp("plain"), think=False) as url:
        yield url


@pytest.fixture
def run(tmp_path, server, plain):
    (tmp_path / "garden").mkdir()
    (tmp_path / "garden" / "plan.txt").write_text("Tea at four.\n", "utf-8")

    def call(suite, *more):
        (tmp_path / "garden.suite.toml").write_text(suite, "utf-8")
        models = (f"thinks=llamacpp/tiny@{server}", f"plain=llamacpp/tiny@{plain}")
        args = ("run", "garden.suite.toml", "-m", models[0], "-m", models[1], "--repeat", "5", "--out", "trials")
        return harness(*args, *more, cwd=tmp_path)

    return call


def test_five_repeats_of_one_task_cannot_show_a_difference(tmp_path, run):
    """Not even where one model passes all of them, and the other none."""
    done = run(ONE_TASK)
    assert done.returncode == 0, done.stderr
    assert len(done.stderr.splitlines()) == 10
    assert "10 trials planned: 1 task of garden, 2 models, 5 repeats; 10 run." in done.stdout
    assert "0 of 5" in done.stdout
    assert "5 of 5" in done.stdout
    (line,) = [line.strip() for line in done.stdout.splitlines() if line.strip().startswith("success: ")]
    assert line.startswith("success: no difference shown: +100 points")
    assert "won 5, lost 0" in line
    assert "p 0.0625" in line
    assert "5 runs cannot show any" in line
    for path in sorted(tmp_path.glob("trials/*/*.jsonl")):
        replayed = harness("replay", path, cwd=tmp_path)
        assert replayed.returncode == 0, replayed.stdout


def test_tools_and_workspaces(tmp_path, run):
    done = run(ONE_TASK + MORE_TASKS, "--format", "json", "--jobs", "2")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert (data["planned"], data["run"], data["cost_usd"]) == (20, 20, "0")
    assert data["unpriced"] == ["llamacpp/tiny"]
    assert [model["answered_as"] for model in data["models"]] == [["llamacpp/tiny.gguf"]] * 2
    passed = [(one["model"], one["task"]) for one in data["trials"] if one["status"] == "pass"]
    assert {*passed} == {("thinks", "look"), ("plain", "look"), ("plain", "greet")}
    assert len(passed) == 15
    recording = library.open(tmp_path / "trials" / "plain" / "look.3.jsonl")
    assert [event["type"] for event in recording.calls[0].events].count("tool_call") == 1
    assert (tmp_path / "trials" / "plain" / "look.3.workspace" / "plan.txt").read_text("utf-8") == "Tea at four.\n"
