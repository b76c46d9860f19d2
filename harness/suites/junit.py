"""A run of suites as JUnit XML: a `testsuite` a suite, a `testcase` for each recording that a case judged.

Made for what reads such files in CI. GitLab (docs.gitlab.com/ci/testing/unit_test_reports) takes `classname` for the
suite, shows the content of `failure` and `error` but not their attributes, links to `file`, and drops the second of two
tests of one name; Jenkins and GitHub's actions show `message` too. `time` is the recorded time of the run, so that the
same input gives the same bytes. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from harness.suites.results import CaseResult, count_by_status, said

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0, section 2.2, lets stand in no document, not even as a reference."""


def junit(results: Sequence[CaseResult]) -> str:
    """The document; UTF-8 is declared."""
    suites: dict[Path, list[CaseResult]] = {}
    for result in results:
        suites.setdefault(result.file, []).append(result)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites {_counts(results)}>"]
    names = Counter(own[0].suite for own in suites.values())
    for file, own in suites.items():
        name = own[0].suite if names[own[0].suite] == 1 else file.as_posix()
        lines.append(f"  <testsuite name={_attribute(name)} {_counts(own)}>")
        for result in own:
            lines += _case(name, result)
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>", ""])


def _counts(results: Sequence[CaseResult]) -> str:
    counts = count_by_status(results)
    seconds = sum(result.run.seconds or 0.0 for result in results)
    return (
        f'tests="{len(results)}" failures="{counts["fail"]}" errors="{counts["error"]}" skipped="0" '
        f'time="{seconds:.3f}"'
    )


def _case(suite: str, result: CaseResult) -> list[str]:
    folder = result.file.parent
    recording = result.path.relative_to(folder) if result.path.is_relative_to(folder) else result.path
    name = f"{result.case} [{recording.as_posix()}]"
    head = (
        f"    <testcase classname={_attribute(suite)} name={_attribute(name)} "
        f'file={_attribute(result.file.as_posix())} time="{result.run.seconds or 0.0:.3f}"'
    )
    if result.status == "pass":
        return [f"{head}/>"]
    tag = "failure" if result.status == "fail" else "error"
    body = "\n".join(f"{one.status.upper()} {said(one)}" for one in result.verdicts if one.status != "pass")
    kind = next((one.check for one in result.verdicts if one.status == result.status), "check")
    message = _attribute(result.reason or "")
    return [
        f"{head}>",
        f"      <{tag} message={message} type={_attribute(kind)}>{escape(_text(body))}</{tag}>",
        "    </testcase>",
    ]


def _attribute(text: str) -> str:
    return quoteattr(_text(text), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _text(text: str) -> str:
    """`text` with what XML cannot hold written as an escape."""
    return _NOT_XML.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
