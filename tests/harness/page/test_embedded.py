"""The recordings of a report stand on its page: those that did not pass, and those that differ, with links to them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.diff.run_report import runs_report
from harness.diff.tasks import Job, run_task
from harness.page.embedded import MOST, embedded
from harness.page.report import report_page
from harness.suites.report import suite_report
from harness.suites.unexercised import Unexercised
from tests.harness.cli.cli import call
from tests.harness.diff.runs import FREE, run, text, tool
from tests.harness.page.markup import HOSTILE, assert_sound
from tests.harness.suites.test_report import BAD, GOOD


def recorded(folder, count):
    return [run(folder / f"{n}.jsonl", [text("four")]) for n in range(count)]


def suite(*results):
    return suite_report(results, Unexercised())


def test_failed_cases_and_links_to_them(tmp_path):
    good, bad = recorded(tmp_path, 2)
    report = suite(replace(GOOD, path=good), replace(BAD, path=bad), replace(BAD, path=bad, case="again"))
    root = assert_sound(report_page(report, "suite", "1"))
    (part,) = root.all("details", class_="tj-file")
    assert part.all("summary")[0].whole == str(bad)
    assert part.all("section", id="recording-0")
    links = [one.whole for one in root.all("a", href="#recording-0") if one.whole == str(bad)]
    assert len(links) == 6  # of two rows, of what failed, and of what was warned of
    assert str(good) in root.all("table")[0].whole


def test_without_any_the_viewer_is_not_on_the_page(tmp_path):
    (good,) = recorded(tmp_path, 1)
    page = report_page(suite(replace(GOOD, path=good)), "suite", "1")
    assert "tj-file" not in page
    assert len(page) < 20_000
    assert embedded("cost", {"groups": []}) == ([], {})


def test_of_many_the_first(tmp_path):
    results = [replace(BAD, path=path) for path in recorded(tmp_path, MOST + 3)]
    root = assert_sound(report_page(suite(*results), "suite", "1"))
    assert len(root.all("details", class_="tj-file")) == MOST
    assert f"The first {MOST} of {MOST + 3}" in root.all("p", class_="tj-cut")[0].whole


def test_what_cannot_be_read_is_left_out(tmp_path):
    (tmp_path / "torn.jsonl").write_bytes(b"no recording\n")
    (good,) = recorded(tmp_path, 1)
    results = [replace(BAD, path=path) for path in (tmp_path / "gone.jsonl", tmp_path / "torn.jsonl", good)]
    _, links = embedded("suite", suite(*results).data)
    assert links == {str(good): "recording-0"}


def test_a_page_with_large_recordings_can_be_sent(tmp_path):
    results = [
        replace(BAD, path=run(tmp_path / f"{n}.jsonl", [text(f"{n} " + "long <&> text " * 200_000)])) for n in range(4)
    ]
    page = report_page(suite(*results), "suite", "1")
    assert_sound(page)
    assert len(page) < 5_000_000


def test_both_of_two_recordings(tmp_path):
    paths = [run(tmp_path / f"{name}.jsonl", [tool("read", path=name)], [text("four")]) for name in "ab"]
    report = runs_report(["a", "b"], run_task(Job("t", tuple((path,) for path in paths), details=True), FREE))
    root = assert_sound(report_page(report, "diff", "1"))
    assert [one.whole for one in root.all("summary") if one.whole in map(str, paths)] == [*map(str, paths)]
    assert root.all("h1")[0].whole == "Comparison of a, b"


def test_of_tasks_what_failed_and_then_what_differs(tmp_path):
    for name, path in (("a", "x"), ("b", "y")):
        run(tmp_path / name / "same.jsonl", [text("four")], task="same")
        run(tmp_path / name / "other.jsonl", [tool("read", path=path)], [text("four")], task="other")
        stop = "length" if name == "b" else "stop"
        run(tmp_path / name / "worse.jsonl", [text("four")], task="worse", stop=stop)
    page = call("diff", tmp_path / "a", tmp_path / "b", "--format", "html").stdout
    shown = [one.all("summary")[0].whole for one in assert_sound(page).all("details", class_="tj-file")]
    assert [str(Path(path).relative_to(tmp_path)) for path in shown] == [
        "b/worse.jsonl", "a/other.jsonl", "b/other.jsonl", "a/worse.jsonl",
    ]  # fmt: skip


def test_repeats_differ_anyway_and_only_failures_are_shown(tmp_path):
    for name in "ab":
        for n in range(2):
            run(tmp_path / name / f"t.{n}.jsonl", [text(f"four {name} {n}")], task="t")
    page = call("diff", tmp_path / "a", tmp_path / "b", "--format", "html").stdout
    assert not assert_sound(page).all("details", class_="tj-file")


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_recordings_stay_text(tmp_path, hostile):
    hostile = hostile.encode("utf-8", "replace").decode()
    path = run(tmp_path / "a.jsonl", [tool("read", path=hostile, result=(True, hostile))], [text(hostile)])
    assert_sound(report_page(suite(replace(BAD, path=path)), "suite", "1"))
