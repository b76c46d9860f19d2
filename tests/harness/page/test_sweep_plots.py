"""What is drawn of a sweep is what its data says."""

from __future__ import annotations

from harness.page.plot import Bar
from harness.page.sweep_plots import sweep_plots
from harness.sweep.report import report
from tests.harness.page.drawn import bars, drawn
from tests.harness.sweep.test_report import results


def plots(**options):
    return sweep_plots(report(results(), 9, **options).data)


def test_laws_and_cases():
    laws, files = plots()
    assert laws.title == "Laws"
    assert laws.bars == [
        Bar("raises", "held in 4,007", (0, 4007)),
        Bar("usage", "broken in 7 of 7", (7, 0)),
        Bar("turn-end", "held in 1", (0, 1)),
    ]
    assert [[kind for kind, *_ in row] for row in bars(drawn(laws))] == [["good"], ["bad"], ["good"]]
    assert [(bar.name, bar.says, sum(bar.parts)) for bar in files.bars] == [
        ("held.jsonl", "4,000 cases", 4000), ("bro|ken_1.jsonl", "8 cases", 8), ("out.jsonl", "0 cases", 0),
        ("un.sse", "cannot be used", 0),
    ]  # fmt: skip


def test_a_quiet_report_says_that_it_tells_of_some_files():
    laws, files = plots(quiet=True)
    assert laws.title == "Laws, in 2 of 4 files"
    assert laws.bars[0] == Bar("raises", "held in 7", (0, 7))
    assert [bar.name for bar in files.bars] == ["bro|ken_1.jsonl", "un.sse"]
