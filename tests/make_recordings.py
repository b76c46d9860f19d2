"""Makes `recordings/` anew, each with `harness ask` in a folder of its own and with a minimal environment.

    python -m tests.make_recordings [NAME...]

Needs the handed `live` folder beside the repository and `pip install -e '.[live]'` for the sessions with a real
server; takes about a minute. What is recorded stands in `tests/recorded_sessions.py`, the table of
`recordings/README.md` is written from it.
"""

from __future__ import annotations

import re
import shlex
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.command import ROOT, harness, started, wait_for
from tests.llamacpp import llamacpp, missing
from tests.proxy import proxy
from tests.recorded_sessions import GARDEN, SESSIONS, Session
from tests.scripted import fixture, scripted

RECORDINGS = ROOT / "recordings"
_BEGIN, _END = "<!-- sessions -->\n", "<!-- end of sessions -->"
PORT = 18100
"""The first of the ports that the servers listen on; fixed, so that recordings made anew differ little."""


@contextmanager
def server_of(session: Session, real: dict[str, str]) -> Iterator[str]:
    """The URL that a session is told."""
    with ExitStack() as stack:
        if session.answers:
            answers = [fixture(name, size=session.size, ending=ending) for name, ending in session.answers]
            url = stack.enter_context(scripted(answers, PORT + 2)).url
        else:
            url = real.get(session.server, f"http://127.0.0.1:{PORT + 4}")
        if session.breaks is not None:
            url = stack.enter_context(proxy(url, *session.breaks, PORT + 3))
        yield url


def record(session: Session, real: dict[str, str]) -> None:
    """Make one recording."""
    with tempfile.TemporaryDirectory() as name, server_of(session, real) as url:
        folder = Path(name)
        for path, text in GARDEN.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, "utf-8")
        args = session.arguments(url)
        if session.interrupt is None:
            done = harness(*args, cwd=folder, environ=dict(session.environ))
            code, told = done.returncode, done.stdout + done.stderr
        else:
            code, told = _interrupted(session.interrupt, args, folder)
        assert code == session.exit_code, f"{session.name}: exit status {code}\n{told}"
        text = (folder / f"{session.name}.jsonl").read_text("utf-8")
        for trace in (socket.gethostname(), str(Path.home()), str(ROOT), name):
            assert not re.search(rf"(?<!\w){re.escape(trace)}(?!\w)", text), f"{session.name} holds {trace}"
        (RECORDINGS / f"{session.name}.jsonl").write_text(text, "utf-8")
        print(f"{session.name}: {told.strip().splitlines()[-1]}")


def _interrupted(sign: str, args: Sequence[str], folder: Path) -> tuple[int, str]:
    """Send Ctrl-C once `sign` was printed."""
    log = folder / "told.txt"
    with log.open("wb") as file, started(*args, cwd=folder, stdout=file, stderr=file) as process:
        wait_for(lambda: sign in log.read_text("utf-8", "replace"), sign)
        process.send_signal(signal.SIGINT)
        process.wait(20)
    return process.returncode, log.read_text("utf-8")


def table() -> str:
    """What the README says of each session."""
    rows = ["| recording | server | shows |", "|---|---|---|"]
    rows += [f"| `{session.name}.jsonl` | {session.source} | {session.shows} |" for session in SESSIONS]
    commands = [f"# {session.name}: {session.scene}\n{_command(session)}\n" for session in SESSIONS]
    return "\n".join(rows) + "\n\n```sh\n" + "\n".join(commands) + "```\n"


def _command(session: Session) -> str:
    words = [*(f"{name}={value}" for name, value in session.environ), "harness", *session.arguments("$URL")]
    return " ".join('"$URL"' if word == "$URL" else shlex.quote(word) for word in words)


def write_table() -> None:
    path = RECORDINGS / "README.md"
    before, _, rest = path.read_text("utf-8").partition(_BEGIN)
    path.write_text(before + _BEGIN + table() + _END + rest.partition(_END)[2], "utf-8")


def main(names: Sequence[str]) -> None:
    chosen = [session for session in SESSIONS if not names or session.name in names]
    assert chosen, f"there are {', '.join(session.name for session in SESSIONS)}"
    with ExitStack() as stack:
        real = {}
        if any(session.server in ("thinks", "speaks") for session in chosen):
            reason = missing()
            if reason is not None:
                raise SystemExit(f"no real server: {reason}")
            for number, kind in enumerate(("thinks", "speaks")):
                folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
                real[kind] = stack.enter_context(llamacpp(folder, think=kind == "thinks", port=PORT + number))
        for session in chosen:
            record(session, real)
    write_table()


if __name__ == "__main__":
    main(sys.argv[1:])
