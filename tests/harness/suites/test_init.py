from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.costs.priced_by import PricedBy
from harness.errors import HarnessError
from harness.suites.init import first_suite
from harness.suites.loading import load_suite
from harness.suites.running import plan_run, run_job
from tests.harness.sessions import Turn, change, chat, record
from tests.harness.suites.suite_files import RECORDINGS

PRICE = PricedBy(table=lambda usage, provider, model, at: Decimal("0.00123"))


def run(out, first) -> list[str]:
    out.write_text(first.text, "utf-8")
    return [run_job(job, PRICE, False).status for job in plan_run([load_suite(out)]).jobs]


def test_what_is_written_passes(tmp_path):
    paths = sorted(RECORDINGS.glob("*.jsonl"))
    out = tmp_path / "in" / "all.suite.toml"
    out.parent.mkdir()
    first = first_suite(paths, out, PRICE)
    assert first.cases == len(paths)
    assert {*run(out, first)} == {"pass"}
    assert first.text == first_suite(paths, out, PRICE).text
    assert any(line.startswith("openai-chat-reset: no_error is left out") for line in first.left_out)
    assert all(len(line) <= 120 for line in first.text.splitlines() if line.lstrip().startswith("#"))


def test_recordings_of_a_task_are_one_case(tmp_path):
    for name, task in (("a", "look it up"), ("b", "look it up"), ("c", "other"), ("d", None)):
        more = {} if task is None else {"task": task}
        record(tmp_path / f"{name}.jsonl", Turn([chat(f"hi from {task}")]), **more)
    out = tmp_path / "x.suite.toml"
    first = first_suite(sorted(tmp_path.glob("*.jsonl")), out, PRICE)
    assert run(out, first) == ["pass"] * 4
    cases = load_suite(out).cases
    assert [(case.name, case.task, case.recordings) for case in cases] == [
        ("look it up", "look it up", ("a.jsonl", "b.jsonl")),
        ("other", "other", ("c.jsonl",)),
        ("d", "d", ("d.jsonl",)),
    ]  # fmt: skip


def test_names_do_not_clash(tmp_path):
    for name in ("in/a.jsonl", "a.jsonl", "A.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        record(tmp_path / name, Turn([chat("hi")]))
    record(tmp_path / "t.jsonl", Turn([chat("hi")]), task="a!")
    out = tmp_path / "x.suite.toml"
    first = first_suite(sorted(tmp_path.rglob("*.jsonl")), out, PRICE)
    assert run(out, first) == ["pass"] * 4
    cases = load_suite(out).cases
    assert [case.name for case in cases] == ["A", "a 2", "a 3", "a! 4"]
    assert cases[3].task == "a!"


def test_a_secret_is_told(tmp_path):
    def leak(record):
        if record["kind"] == "turn":
            record["input"] = "sk-ant-" + "api03-" + "Ab1" * 30

    path = change(record(tmp_path / "a.jsonl", Turn([chat("hi")])), leak)
    out = tmp_path / "x.suite.toml"
    first = first_suite([path], out, PRICE)
    assert first.left_out[0].startswith("changed: no_secret is left out")
    assert "Ab1Ab1" not in first.text + "".join(first.left_out)
    assert "tools and text are left out, as they might repeat the secret: `harness scrub` it first" in first.text
    assert run(out, first) == ["pass"]


class TestRecordingsThatAreLeftOut:
    @pytest.fixture
    def good(self, tmp_path):
        return record(tmp_path / "good.jsonl", Turn([chat("hi")]))

    @pytest.mark.parametrize(
        ("name", "data", "said"),
        [
            ("empty.jsonl", b"", "empty.jsonl: the file is empty"),
            ("newer.jsonl", b'{"kind":"header","format":"trajectory","version":99}\n', "newer.jsonl:1: format version"),
            ("other.jsonl", b"{}\n", "other.jsonl:1: not a recording"),
            ("bad.jsonl", None, "bad.jsonl: line 3: "),
            ("\udcff.jsonl", b"", ".jsonl: its name is not UTF-8, as TOML has to be: rename it"),
        ],
        ids=["empty", "newer", "other", "damaged", "name"],
    )  # fmt: skip
    def test_is_said(self, tmp_path, good, name, data, said):
        lines = good.read_bytes().splitlines(keepends=True)
        path = tmp_path / name
        path.write_bytes(b"".join([*lines[:2], b"{nonsense\n", *lines[2:]]) if data is None else data)
        out = tmp_path / "x.suite.toml"
        first = first_suite([path, good], out, PRICE)
        assert first.left_out[0].startswith("left out: ")
        assert said in first.left_out[0]
        assert "\udcff" not in first.left_out[0]
        assert run(out, first) == ["pass"]
        with pytest.raises(HarnessError, match=said.partition(":")[0]):
            first_suite([path], out, PRICE)


def test_a_tool_without_a_name(tmp_path):
    path = record(tmp_path / "a.jsonl", Turn([chat(calls=[("c1", "look", "{}")]), chat("done")]))

    def unname(found):
        if found["kind"] == "event" and found["event"]["type"] == "tool_call":
            found["event"]["name"] = ""

    out = tmp_path / "x.suite.toml"
    first = first_suite([change(path, unname)], out, PRICE)
    assert "changed: tools is left out: should not be empty" in first.left_out
    assert run(out, first) == ["pass"]


def test_a_blank_task_is_none(tmp_path):
    path = record(tmp_path / "a.jsonl", Turn([chat("hi")]), task=" ")
    out = tmp_path / "x.suite.toml"
    assert run(out, first_suite([path], out, PRICE)) == ["pass"]
    assert load_suite(out).cases[0].name == "a"


def test_nothing_to_hold(tmp_path):
    with pytest.raises(HarnessError):
        first_suite([], tmp_path / "x.suite.toml", PRICE)


@settings(max_examples=15, deadline=None)
@given(st.text(min_size=1), st.text(), st.dictionaries(st.text(), st.text() | st.none() | st.integers(), max_size=3))
def test_whatever_was_said(tmp_path_factory, task, answer, arguments):
    from agent.jsonio import dumps

    folder = tmp_path_factory.mktemp("said")
    calls = [("c1", "look", dumps(arguments).decode())]
    path = record(folder / "a.jsonl", Turn([chat(calls=calls), chat(answer)], input=task), task=task)
    out = folder / "x.suite.toml"
    assert run(out, first_suite([path], out, PRICE)) == ["pass"]
