"""Records sessions in processes of its own and kills them at random moments: `python -m tests.harness.killed FOLDER`.

Each child records a session of many small chunks and reports every write that has completed, by the size that the file
has then. It is killed a random while after a random write. For each, a line with the number of bytes that it last
reported is printed.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

from tests.harness.sessions import LOOK, Turn, chat, record

KILLS = 50
_WORDS = [f"wörd {number} " for number in range(60)]
SESSION = [
    Turn(
        [
            chat(*_WORDS, calls=[LOOK, ("c2", "list", "{}")]),
            chat(*_WORDS, calls=[("c3", "look", '{"at":"y"}')]),
            chat("So."),
        ],
        tools={"look": "seen", "list": "a\nb"},
    ),
    Turn([chat(*_WORDS)], input="more"),
]
WRITES = 210
"""About as many as the session makes."""


def _record(path: Path, report: int) -> None:
    """Record the session; after each write of the recorder its file's size goes to `report`."""
    write = os.write

    def reporting(descriptor: int, data: bytes) -> int:
        written = write(descriptor, data)
        write(report, b"%d\n" % os.fstat(descriptor).st_size)
        return written

    os.write = reporting
    record(path, *SESSION)


def _kill(path: Path, seed: int) -> int:
    """Record to `path`, be killed; the bytes that were reported as written."""
    chance = random.Random(seed)
    writes, pause = chance.randrange(WRITES), chance.random() * 0.002
    read, report = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(read)
            _record(path, report)
        finally:
            os._exit(0)
    os.close(report)
    with os.fdopen(read, "rb") as reports:
        size = 0
        for _ in range(writes):
            size = int(reports.readline() or size)
        time.sleep(pause)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        lines = [line for line in reports.read().splitlines(keepends=True) if line.endswith(b"\n")]
    return int(lines[-1]) if lines else size


def main() -> None:
    folder = Path(sys.argv[1])
    for seed in range(KILLS):
        print(_kill(folder / f"{seed}.jsonl", seed), flush=True)


if __name__ == "__main__":
    main()
