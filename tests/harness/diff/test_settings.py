"""What runs were given."""

from __future__ import annotations

from harness.diff.settings import setting_differences, settings_of
from harness.differences import MISSING
from harness.report.reading import read_facts
from tests.harness.diff.runs import run, text
from tests.harness.sessions import Turn, chat, record


def settings(path):
    return settings_of(read_facts(path))


def test_differences_by_path(tmp_path):
    one = settings(run(tmp_path / "a.jsonl", [text("end")], params={"temperature": 1.0}))
    other = settings(run(tmp_path / "b.jsonl", [text("end")], params={"temperature": 1, "top_p": 0.5}, model="n"))
    assert [tuple(found) for found in setting_differences(one, other)] == [
        ("model", "m", "n"),
        ("params.top_p", MISSING, 0.5),
    ]
    assert setting_differences(one, one) == []


def test_settings_that_change_on_the_way(tmp_path):
    same = settings(record(tmp_path / "a.jsonl", Turn([chat("a")], history=()), Turn([chat("b")], history=())))
    changed = record(tmp_path / "b.jsonl", Turn([chat("a")]), Turn([chat("b")], params={"temperature": 0}))
    found = setting_differences(same, settings(changed))
    assert isinstance(same, dict)
    assert any(difference.path.startswith("turns[1]") for difference in found)


def test_true_and_one_are_two_settings(tmp_path):
    turns = [Turn([chat("a")], history=(), params={"store": value}) for value in (True, 1)]
    assert [one["params"]["store"] for one in settings(record(tmp_path / "a.jsonl", *turns))] == [True, 1]
