"""The sessions that `recordings/` holds: who was asked what, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass

GARDEN = {
    "garden/plan.txt": "Monday: water the beans.\nSunday: sow the peas.\nTea is at four.\n",
    "garden/notes/seeds.md": "# Seeds\n\n- peas: Sunday, two rows\n- beans: sown\n",
}
"""The files that every session begins with; `garden` is the workspace."""

SYSTEM = "You look after a small garden folder."
REAL = "llama.cpp (real server)"
SCRIPTED = "scripted server"

Answer = tuple[str, str]
"""A fixture and how its response ends."""


@dataclass(frozen=True)
class Session:
    """One recording.

    `server`: `thinks` or `speaks` (llama.cpp with the tiny model, with and without reasoning), `scripted`, `none`.
    `answers`: what the scripted server says. `breaks`: response bytes that a proxy lets through, and what it does then.
    `interrupt`: Ctrl-C once this was printed. `size`: bytes of a piece from the scripted server.
    """

    name: str
    provider: str
    prompt: str
    shows: str
    server: str = "scripted"
    answers: tuple[Answer, ...] = ()
    model: str = "tiny"
    more: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    breaks: tuple[int, str] | None = None
    interrupt: str | None = None
    size: int | None = None
    exit_code: int = 0
    environ: tuple[tuple[str, str], ...] = ()

    @property
    def source(self) -> str:
        """What the header names as recorded."""
        return {"thinks": REAL, "speaks": REAL, "scripted": SCRIPTED}.get(self.server, "no server")

    @property
    def scene(self) -> str:
        """What stands at the other end, in words."""
        if self.answers:
            script = " ".join(name if ending == "eof" else f"{name}:{ending}" for name, ending in self.answers)
            scene = f"python -m tests.scripted {script}" + (f" --size {self.size}" if self.size else "")
        elif self.server == "none":
            scene = "nothing listens there"
        else:
            scene = "llama.cpp, tiny model" + (" with --think" if self.server == "thinks" else "")
        if self.breaks is not None:
            scene += f"; a proxy passes {self.breaks[0]} bytes of the response, then: {self.breaks[1]}"
        return scene + (f"; Ctrl-C once '{self.interrupt}' is printed" if self.interrupt else "")

    def arguments(self, url: str) -> list[str]:
        """The words after `harness`."""
        words = ["ask", "-m", f"{self.provider}/{self.model}", "--base-url", url, "--workspace", "garden"]
        words += ["--system", SYSTEM, *self.more, "--out", f"{self.name}.jsonl", "--source", self.source]
        for tag in self.tags:
            words += ["--tag", tag]
        return [*words, self.prompt]


def _script(*names: str) -> tuple[Answer, ...]:
    return tuple((name, "eof") for name in names)


_COLD = ("--param", "temperature=0")

_FROM_THE_REAL_SERVER = (
    Session(
        "openai-chat-text", "openai", "Say hello.", "text and usage", "speaks",
        more=("--no-tools", *_COLD), tags=("text",),
    ),
    Session(
        "openai-chat-reasoning", "openai", "Say hello.", "reasoning, then text", "thinks",
        more=("--no-tools", *_COLD), tags=("reasoning", "text"),
    ),
    Session(
        "openai-chat-tool-call", "openai", "What is here?", "a tool call, its result, an answer", "thinks",
        more=_COLD, tags=("tool-call", "reasoning"),
    ),
    Session(
        "openai-chat-length", "openai", "Say hello.", "an answer cut off at the output limit", "speaks",
        more=("--no-tools", "--max-tokens", "3", *_COLD), tags=("length",),
    ),
    Session(
        "openai-chat-bad-request", "openai", "Say hello.", "HTTP 400: the reason, no retry", "thinks",
        more=("--no-tools", "--param", "temperature=hot"), tags=("error", "http-400"), exit_code=1,
    ),
    Session(
        "openai-chat-reset", "openai", "Say hello.", "a TCP reset in the middle of the answer", "thinks",
        more=("--no-tools", *_COLD), tags=("error", "cut"), breaks=(2600, "reset"), exit_code=1,
    ),
    Session(
        "openai-responses-reasoning", "openai-responses", "Say hello.", "reasoning, then text", "thinks",
        more=("--no-tools", *_COLD), tags=("reasoning", "text"),
    ),
    Session(
        "openai-responses-tool-call", "openai-responses", "What is here?", "a tool call, its result, an answer",
        "thinks", more=_COLD, tags=("tool-call", "reasoning"),
    ),
    Session(
        "openai-responses-cut", "openai-responses", "Say hello.", "a connection closed in the middle of the answer",
        "thinks", more=("--no-tools", *_COLD), tags=("error", "cut"), breaks=(4500, "cut"), exit_code=1,
    ),
    Session(
        "anthropic-reasoning", "anthropic", "Say hello.", "thinking, then text", "thinks",
        more=("--no-tools", *_COLD), tags=("reasoning", "text"),
    ),
    Session(
        "anthropic-tool-call", "anthropic", "What is here?", "a tool call, its result, an answer", "thinks",
        more=_COLD, tags=("tool-call", "reasoning"),
    ),
    Session(
        "anthropic-cancelled", "anthropic", "Say hello.", "Ctrl-C while the answer comes", "thinks",
        more=("--no-tools", *_COLD), tags=("cancelled",), breaks=(2400, "stall"), interrupt="Hello", exit_code=130,
    ),
)  # fmt: skip

_FROM_SCRIPTS = (
    Session(
        "openai-chat-parallel-calls", "openai", "What is here?", "two calls in one answer, both run, priced",
        answers=_script("openai-chat/session-parallel.sse", "openai-chat/session-answer.sse"),
        model="gpt-4.1-mini", size=300, tags=("parallel-calls",),
    ),
    Session(
        "openai-chat-cancelled-tool", "openai", "Wait for the kettle.", "Ctrl-C while a shell command runs",
        answers=_script("openai-chat/session-shell.sse"), model="gpt-4.1-mini", more=("-b",),
        tags=("cancelled", "tool-call"), interrupt="-> shell", exit_code=130,
    ),
    Session(
        "openai-chat-wrong-key", "openai", "Say hello.", "HTTP 401: the hint names the variable, the key stays out",
        answers=_script("http-errors/openai-wrong-key.body"), model="gpt-4.1-mini",
        tags=("error", "http-401"), environ=(("OPENAI_API_KEY", "not-a-real-key-0123456789"),), exit_code=1,
    ),
    Session(
        "openai-chat-unreachable", "openai", "Say hello.", "a refused connection, tried four times", "none",
        more=("--no-tools",), tags=("error", "retry"), exit_code=1,
    ),
    Session(
        "openai-responses-iterations", "openai-responses", "When is tea?",
        "four iterations; an encrypted reasoning item goes back", model="gpt-5-mini", tags=("iterations", "opaque"),
        answers=_script(*(f"openai-responses/session-{name}.sse" for name in ("list", "search", "read", "answer"))),
    ),
    Session(
        "anthropic-retry", "anthropic", "Say when.", "HTTP 429, an error in the stream, then an answer",
        answers=_script(
            "http-errors/anthropic-rate-limit.body", "anthropic/session-overloaded.sse", "anthropic/session-answer.sse"
        ),
        model="claude-haiku-4-5", tags=("retry", "http-429"),
    ),
    Session(
        "anthropic-error-in-stream", "anthropic", "Count to three.", "an error in the stream after text: no retry",
        answers=_script("anthropic/error-overloaded.sse"), model="claude-sonnet-4-5", tags=("error",), exit_code=1,
    ),
    Session(
        "anthropic-edit", "anthropic", "Move tea to five.", "signed thinking that goes back, an edited file, cache",
        answers=_script("anthropic/session-edit.sse", "anthropic/session-answer.sse"),
        model="claude-haiku-4-5", more=("--mode", "fix"), tags=("tool-call", "opaque", "cache"),
    ),
    Session(
        "gemini-text", "gemini", "How many foxes?", "text", answers=_script("gemini/text.sse"),
        model="gemini-2.5-flash", tags=("text",),
    ),
    Session(
        "gemini-thoughts", "gemini", "How late is it?", "thoughts, then text with a signature",
        answers=_script("gemini/thoughts.sse"), model="gemini-2.5-flash", tags=("reasoning", "opaque"),
    ),
    Session(
        "gemini-parallel-calls", "gemini", "What is here?", "two calls without ids in one answer",
        answers=_script("gemini/session-parallel.sse", "gemini/session-answer.sse"),
        model="gemini-2.5-flash", tags=("parallel-calls", "reasoning", "opaque"),
    ),
)  # fmt: skip

SESSIONS = (*_FROM_THE_REAL_SERVER, *_FROM_SCRIPTS)
