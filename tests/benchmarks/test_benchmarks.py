"""That the benchmarks run, and what their table says of a figure. No time is asserted."""

from __future__ import annotations

from importlib import import_module

import pytest

from benchmarks import data, race, table
from benchmarks.__main__ import GROUPS, main
from benchmarks.race import Missing, Race, Result, Row


def test_a_quick_run_prints_every_row(capsys, tmp_path):
    assert main(["--quick", "--out", str(tmp_path / "results.md")]) == 0
    shown, page = capsys.readouterr().out, (tmp_path / "results.md").read_text("utf-8")
    for group in GROUPS:
        for row in import_module(f"benchmarks.{group}").ROWS:
            assert row.name in shown
            assert f"| {row.name} |" in page


def test_an_unknown_group_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["nonsense"])
    assert "no group is named nonsense" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("row", "costs", "value", "verdict"),
    [
        (Row("r", "a", "b", 2), {"a": 3.0, "b": 1.5}, 2.0, "ok"),
        (Row("r", "a", "b", 2), {"a": 4.0, "b": 1.5}, 4.0 / 1.5, "over"),
        (Row("r", "a", "b", 2, at_least=True), {"a": 2.0, "b": 1.5}, 2.0 / 1.5, "short"),
        (Row("r", "a", None, 5), {"a": 4.0}, 4.0, "ok"),
        (Row("r", "a", "b"), {"a": 4.0, "b": 1.0}, 4.0, ""),
        (Row("r", "peer", "b", 2), {"b": 1.0}, None, "not measured"),
    ],
)
def test_verdicts(row, costs, value, verdict):
    result = race.judge(row, Race(missing={"peer": "peer is not installed"}), costs)
    assert (result.value, result.verdict) == (value, verdict)
    assert result.note == ("peer is not installed" if value is None else "")


def test_peers_stand_beside():
    row = Row("r", "a", "b", peers=(("c", "sdk"), ("d", "other")))
    result = race.judge(row, Race(missing={"d": "other is not installed"}), {"a": 1.0, "b": 2.0, "c": 3.0})
    assert result.note == "sdk 1.50, other is not installed"


def test_a_peer_that_is_missing_is_noted():
    def make():
        raise Missing("sdk is not installed")

    found = Race()
    found.peer("sdk", make)
    found.add("ours", lambda: None)
    assert found.missing == {"sdk": "sdk is not installed"}
    assert list(found.run(2)) == ["ours"]


def test_the_least_of_interleaved_rounds_counts():
    costs = iter([3.0, 9.0, 2.0, 8.0, 4.0, 7.0])
    found = Race()
    found.measured(lambda: {"one": next(costs)})
    found.measured(lambda: {"other": next(costs)})
    assert found.run(3) == {"one": 2.0, "other": 7.0}


def test_a_race_may_take_more_rounds_than_others():
    costs = iter([3.0, 9.0, 2.0, 8.0])
    found = Race(laps=2)
    found.measured(lambda: {"one": next(costs)})
    assert found.run(2) == {"one": 2.0}
    assert next(costs, None) is None


def test_a_child_compiles_modules_once(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    (tmp_path / "some.py").write_text("")
    race.child(["-c", "import some"], folder=tmp_path)
    assert list(tmp_path.rglob("some.*.pyc"))


def test_a_child_that_fails_is_an_error():
    with pytest.raises(RuntimeError, match="exit status 3"):
        race.child(["-c", "raise SystemExit(3)"])


@pytest.mark.parametrize(("value", "text"), [(0.5, "0.50"), (9.96, "10.0"), (12.34, "12.3"), (99.9, "100")])
def test_figures(value, text):
    assert race.figure(value) == text


def test_markdown_escapes_bars():
    assert "| a\\|b | 1.00 x |" in table.markdown([Result(Row("a|b", "a", "b"), 1.0)], 15)


@pytest.mark.parametrize("wire", data.STREAMS)
def test_streams_are_alike_every_time(wire):
    make = data.STREAMS[wire]
    one, other = make(30), make(30)
    assert one == other
    assert len(one.payloads) == 30
    assert b"".join(one.network_chunks()) == one.body


@pytest.mark.parametrize(("wire", "size"), [("openai-chat", 330), ("anthropic", 121)])
def test_frames_are_as_large_as_real_ones(wire, size):
    stream = data.STREAMS[wire](2000)
    assert abs(len(stream.body) / 2000 - size) < size / 20
