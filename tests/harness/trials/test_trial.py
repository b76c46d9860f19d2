from __future__ import annotations

from dataclasses import replace

import pytest

import harness
from harness.config import Config
from harness.costs.priced_by import PricedBy
from harness.errors import HarnessError
from harness.recording.writer import Writer
from harness.suites.workspaces import keep
from harness.trials.folder import aside, result_of
from harness.trials.trial import run_trial, tags_of
from tests.harness.trials.trial_runs import SUITE, TEXT, cases, endless, model, said, server, trial


@pytest.fixture
def one(tmp_path):
    (tmp_path / "scratch").mkdir()
    (tmp_path / "trials").mkdir()
    return trial(cases(tmp_path)[0], tmp_path / "trials")


async def run(one, url, tmp_path, warned=None):
    return await run_trial(
        one, model(url), tmp_path / "scratch", Config(), PricedBy(), (warned if warned is not None else []).append
    )


@pytest.mark.anyio
async def test_the_case_says_how_the_agent_is_asked(tmp_path, one):
    options = {"mode": "FIX", "system": "Be brief.", "params": {"seed": 7}, "max_iterations": 2}
    one = replace(one, case=replace(one.case, **options))
    with endless() as provider:
        summary = await run(one, provider.url, tmp_path)
        assert not summary.failed
    recording = harness.open(one.path, strict=True)
    (turn,) = recording.turns
    assert (turn.mode, turn.system, turn.params, turn.limits["max_iterations"]) == ("FIX", "Be brief.", {"seed": 7}, 2)
    assert recording.header["tags"] == tags_of(one)
    assert result_of(one) is not None


@pytest.mark.anyio
async def test_without_tools_and_workspace(tmp_path):
    (tmp_path / "scratch").mkdir()
    (tmp_path / "trials").mkdir()
    _, case = cases(tmp_path, SUITE + "\n")
    one = trial(replace(case, tools=False), tmp_path / "trials")
    with endless() as provider:
        await run(one, provider.url, tmp_path)
    assert harness.open(one.path).turns[0].tools == []
    assert [*one.workspace.iterdir()] == []


@pytest.mark.anyio
async def test_nothing_the_agent_is_told_names_the_trial(tmp_path, one):
    with endless() as provider:
        await run(one, provider.url, tmp_path)
    system = harness.open(one.path).turns[0].system
    assert "/garden. Today is" in system
    assert "trials" not in system.replace(str(tmp_path), "")


@pytest.mark.anyio
async def test_tools_stay_in_the_copy(tmp_path, one):
    (tmp_path / "secret.txt").write_text("do not tell", "utf-8")
    outputs = []

    def answer(body, number):
        outputs.extend(message["content"] for message in body["messages"] if message["role"] == "tool")
        paths = ("../../../secret.txt", str(tmp_path / "secret.txt"), str(tmp_path / "garden" / "plan.txt"))
        return TEXT if outputs else said("", calls=tuple(("read_file", {"path": path}) for path in paths))

    with server(answer) as provider:
        await run(one, provider.url, tmp_path)
    assert len(outputs) == 3
    assert all("is outside the workspace" in output for output in outputs)


@pytest.mark.anyio
async def test_the_end_is_written_after_the_workspace_is_kept(tmp_path, one, monkeypatch):
    def check(worked_in, place):
        assert result_of(one) is None
        keep(worked_in, place)

    monkeypatch.setattr("harness.trials.trial.keep", check)
    with endless() as provider:
        await run(one, provider.url, tmp_path)
    assert result_of(one) is not None


@pytest.mark.anyio
async def test_what_cannot_be_recorded_is_no_trial(tmp_path, one, monkeypatch):
    real = Writer.write

    def write(self, records):
        if any(record["kind"] == "frame" for record in records if isinstance(record, dict)):
            raise OSError(28, "No space left on device")
        real(self, records)

    monkeypatch.setattr(Writer, "write", write)
    warned = []
    with endless() as provider, pytest.raises(HarnessError, match="not all of it is recorded"):
        await run(one, provider.url, tmp_path, warned)
    assert len(warned) == 1
    assert not one.path.exists()
    assert len(aside(one)) == 1


@pytest.mark.anyio
async def test_a_full_disk_is_told_by_the_place_that_is_full(tmp_path, one, monkeypatch):
    def full(worked_in, place):
        raise OSError(28, "No space left on device", "scratch/plan.txt", None, "trials/plan.txt")

    monkeypatch.setattr("harness.trials.trial.keep", full)
    with endless() as provider, pytest.raises(HarnessError, match=r"^trials/plan.txt: No space left on device$"):
        await run(one, provider.url, tmp_path)


@pytest.mark.anyio
async def test_a_workspace_that_cannot_be_made(tmp_path, one):
    (tmp_path / "scratch").rmdir()
    with pytest.raises(HarnessError, match="No such file or directory"):
        await run(one, "http://127.0.0.1:9", tmp_path)
