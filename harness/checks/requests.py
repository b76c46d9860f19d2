"""`requests`: the loop, run again over the recording, asks exactly what it asked."""

from __future__ import annotations

from typing import ClassVar, Literal

from agent.providers.base_url import TargetError
from harness.checks.base import Check, Subject
from harness.verdicts import Verdict


class Requests(Check):
    """Every turn runs again offline, with the recorded tool results: requests and loop events must be as recorded.

    Needs the recorded turns of the built-in agent; only they say what the loop was given.
    """

    needs_frames: ClassVar[bool] = True

    type: Literal["requests"]

    def judge(self, subject: Subject) -> Verdict:
        import asyncio

        from harness.replaying.rerun import rerun

        recording = subject.recording()
        if not recording.turns:
            return self.error("the recording has no turns, so there is no loop to run again")
        try:
            difference = asyncio.run(rerun(recording))
        except TargetError as error:
            return self.error(str(error))
        return self.passed() if difference is None else self.failed(difference)
