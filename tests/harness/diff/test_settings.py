"""What runs were given."""

from __future__ import annotations

from harness.diff.settings import models_of, setting_differences, settings_of
from harness.replaying.matching import MISSING
from harness.report.reading import read_facts
from tests.harness.diff.runs import run, text
from tests.harness.sessions import Turn, chat, failure, record


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


def test_models_as_the_provider_answered(tmp_path):
    assert models_of(read_facts(run(tmp_path / "a.jsonl", [text("a")], [text("b")]))) == ["openai/m-1"]


def test_a_model_that_was_only_asked_is_none_of_them(tmp_path):
    """A call that got no answer, and was tried again."""
    tried = record(tmp_path / "a.jsonl", Turn([failure(503), chat("a")]))
    assert models_of(read_facts(tried)) == ["openai/m-1"]
    refused = record(tmp_path / "b.jsonl", Turn([failure(400)]))
    assert models_of(read_facts(refused)) == []
