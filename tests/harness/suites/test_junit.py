from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from harness.suites.junit import junit
from harness.suites.results import CaseResult, RunFacts
from harness.verdicts import Verdict


def result(*verdicts: Verdict, suite: str = "garden", case: str = "x", file: str = "r/a.suite.toml") -> CaseResult:
    return CaseResult(Path(file), suite, case, case, Path("r/in/one.jsonl"), verdicts, RunFacts(seconds=1.5))


def test_a_document():
    results = [
        result(Verdict("text", "pass")),
        result(Verdict("text", "fail", "a <b>"), Verdict("budget", "fail", "much"), case="y"),
        result(Verdict("text", "fail", "no"), Verdict("tools", "error", "why"), case="z"),
        result(Verdict("text", "pass"), file="r/b.suite.toml", suite="other"),
    ]
    root = ElementTree.fromstring(junit(results).encode())
    assert root.attrib == {"tests": "4", "failures": "1", "errors": "1", "skipped": "0", "time": "6.000"}
    one, other = root
    assert (one.tag, one.attrib["name"], one.attrib["tests"], one.attrib["failures"]) == (
        "testsuite",
        "garden",
        "3",
        "1",
    )
    assert len(other) == 1
    passed, failed, broken = one
    assert passed.attrib == {
        "classname": "garden", "name": "x [in/one.jsonl]", "file": "r/a.suite.toml", "time": "1.500",
    }  # fmt: skip
    (failure,) = failed
    assert (failure.tag, failure.attrib) == ("failure", {"message": "text: a <b>", "type": "text"})
    assert failure.text == "FAIL text: a <b>\nFAIL budget: much"
    (error,) = broken
    assert (error.tag, error.attrib) == ("error", {"message": "tools: why", "type": "tools"})


@settings(max_examples=50)
@given(st.text(), st.text(), st.text())
def test_whatever_a_name_or_a_reason_holds_it_is_xml(suite, case, reason):
    text = junit([result(Verdict("text", "fail", reason), suite=suite, case=case)])
    root = ElementTree.fromstring(text.encode())
    (failure,) = root.iter("failure")
    unsafe = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
    if not unsafe.search(reason + suite + case):
        assert root[0].attrib["name"] == suite
        assert root[0][0].attrib["name"] == f"{case} [in/one.jsonl]"
        assert failure.attrib["message"] == (f"text: {reason}" if reason else "text: no reason given")


def test_what_xml_cannot_hold_is_escaped():
    assert "\\u001b[31m \\ud800" in junit([result(Verdict("text", "fail", "\x1b[31m \ud800"))])


def test_suites_of_one_name_are_told_apart():
    text = junit([result(Verdict("text", "pass")), result(Verdict("text", "pass"), file="s/b.suite.toml")])
    one, other = ElementTree.fromstring(text.encode())
    assert [one.attrib["name"], other.attrib["name"]] == ["r/a.suite.toml", "s/b.suite.toml"]
    assert [one[0].attrib["classname"], other[0].attrib["classname"]] == ["r/a.suite.toml", "s/b.suite.toml"]
    assert other[0].attrib["name"] == "x [r/in/one.jsonl]"
