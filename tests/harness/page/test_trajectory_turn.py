"""What turns were given: each thing is shown once, and is a link where it is given again."""

from __future__ import annotations

import harness
from harness.page.trajectory import trajectory
from harness.page.trajectory_sheet import UNLIMITED
from tests.harness.page.markup import parsed
from tests.harness.report.session import turn, write
from tests.harness.sample import header


def given(tmp_path, *turns):
    """For each turn the label of what is folded in it, with the text inside."""
    records = [header(), *(turn(**{"turn": number, **fields}) for number, fields in enumerate(turns))]
    numbered = [{"kind": None, "seq": seq, "t": seq / 4, **record} for seq, record in enumerate(records)]
    root = parsed(trajectory(harness.open(write(tmp_path / "x.jsonl", numbered)), limits=UNLIMITED))
    return [
        {one.all("summary")[0].whole: one.whole.removeprefix(one.all("summary")[0].whole).strip() for one in folds}
        for folds in (part.all("details") for part in root.all("section", class_="tj-turn"))
    ]


def says(role, text):
    return {"role": role, "text": text}


def test_a_system_prompt_and_tools_are_shown_again_only_where_they_differ(tmp_path):
    other = [{"name": "write"}]
    one, two, three, four = given(
        tmp_path, {"history": []}, {"history": []}, {"history": [], "system": "be long"},
        {"history": [], "system": "be long", "tools": other},
    )  # fmt: skip
    assert one["system prompt 8 characters"] == "be brief"
    assert '"read"' in one["tools offered read"]
    assert set(two.values()) == {"the same as in turn 0"}
    assert list(three.values()) == ["be long", "the same as in turn 0"]
    assert four["system prompt 7 characters"] == "the same as in turn 2"
    assert '"write"' in four["tools offered write"]


def test_of_a_history_what_the_turn_before_was_not_given_is_shown(tmp_path):
    talk = [says("user", "first"), says("assistant", "second"), says("user", "third"), says("assistant", "fourth")]
    one, two, three, four = (
        next((inside for label, inside in folds.items() if label.startswith("history")), None)
        for folds in given(tmp_path, {"history": []}, {"history": talk[:2]}, {"history": talk}, {"history": talk[1:]})
    )
    assert one is None
    assert "first" in two
    assert "second" in two
    assert three.startswith("first 2 messages as in the history of turn 1 [")
    assert "third" in three
    assert "fourth" in three
    assert "second" not in three
    assert "second" in four
    assert "as in" not in four


def test_a_history_that_the_turn_before_was_given_too_is_a_link_alone(tmp_path):
    talk = [says("user", "first")]
    _, two = given(tmp_path, {"history": talk}, {"history": talk})
    assert two["history 1 message"] == "first 1 message as in the history of turn 0"
