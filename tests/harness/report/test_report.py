from __future__ import annotations

from harness.report.report import Report


def test_an_empty_report_has_nothing_to_show():
    report = Report()
    assert (report.blocks, report.data, report.headers, report.rows) == ([], {}, (), ())
