"""`no_secret`: nothing in the recording is a secret, by the scanner behind `harness scan`."""

from __future__ import annotations

from typing import Literal

from harness.checks.base import Check, Subject
from harness.report.figures import first_of
from harness.verdicts import Verdict


class NoSecret(Check):
    """Looked for are the known key shapes, the values of the key variables in use, and the rules of `[tool.harness]`;
    with `kingfisher` also what that scanner knows. A finding names rule and place, never the secret."""

    type: Literal["no_secret"]
    kingfisher: bool = False

    def judge(self, subject: Subject) -> Verdict:
        from harness.config import current
        from harness.redaction.finder import Finder
        from harness.redaction.kingfisher import Kingfisher
        from harness.redaction.scan import scan_file

        if subject.path is None:
            return self.error("there is no recording to scan, only its facts")
        config = current()
        finder = Finder(config.key_values().values(), config.redact)
        scanned = scan_file(subject.path, finder, Kingfisher() if self.kingfisher else None)
        if scanned.findings:
            return self.failed("; ".join(first_of([*map(str, scanned.findings)])))
        return self.error(scanned.unread[0]) if scanned.unread else self.passed()
