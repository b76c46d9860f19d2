"""`harness ask --continue`, `--append` and `--fsync`: several turns in one recording, over several processes."""

from __future__ import annotations

import gzip
import json

import pytest

import harness
from harness.cli.ask_continue import MODES
from harness.recording.writer import Writer
from tests.harness.cli.cli import call, no_backoff, refusal
from tests.harness.transports import records
from tests.scripted import error, fixture, scripted

TEXT = fixture("openai-chat/session-answer.sse")
CALLS = fixture("openai-chat/session-parallel.sse")
ANSWER = "The folder holds a plan and a list of seeds; tea is at four. ☕\n"
KEY = "sk-test-0123456789abcdefghijklmnop"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.txt").write_text("Tea at four.\n", "utf-8")
    return tmp_path


class Server:
    """A scripted provider over several commands."""

    def __init__(self, server):
        self.server = server

    def ask(self, *args, exit_code=0, model="openai/gpt-4.1-mini", **more):
        url = [] if "--continue" in args else ["--base-url", self.server.url]
        name = [] if model is None or "--continue" in args else ["-m", model]
        result = call("ask", *name, *url, *args, **more)
        assert result.exit_code == exit_code, result.output
        return result

    @property
    def bodies(self):
        return [json.loads(exchange.body) for exchange in self.server.exchanges]


@pytest.fixture
def serve():
    """`serve(answers)` is a context manager."""
    from contextlib import contextmanager

    @contextmanager
    def make(*answers):
        with scripted(answers) as server:
            yield Server(server)

    return make


def contents(body):
    return [(message["role"], message.get("content")) for message in body["messages"]]


def test_a_second_turn_has_the_history_of_the_first(serve):
    with serve(CALLS, TEXT, TEXT, TEXT) as server:
        server.ask("--out", "a.jsonl", "What is here?")
        result = server.ask("--continue", "a.jsonl", "And then?")
        server.ask("--continue", "a.jsonl", "At last?")
        assert result.stdout == ANSWER
        assert result.stderr.endswith("· recorded in a.jsonl\n")
        bodies = server.bodies
    assert [role for role, _ in contents(bodies[2])] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
        "user",
    ]
    assert bodies[2]["messages"][:-2] == bodies[1]["messages"]
    assert bodies[3]["messages"][:-2] == bodies[2]["messages"]
    assert contents(bodies[3])[-3:] == [("user", "And then?"), ("assistant", ANSWER.rstrip()), ("user", "At last?")]
    assert {body["model"] for body in bodies} == {"gpt-4.1-mini"}
    recording = harness.open("a.jsonl", strict=True)
    assert ([turn.input for turn in recording.turns], len(recording.resumes)) == (
        ["What is here?", "And then?", "At last?"], 2,
    )  # fmt: skip
    assert [len(turn.history) for turn in recording.turns] == [0, 5, 7]
    assert (recording.end["turns"], recording.end["calls"]) == (3, 4)
    assert call("replay", "a.jsonl").exit_code == 0


def test_what_the_last_turn_was_given_holds_where_no_option_wins(serve):
    first = (
        "--out",
        "a.jsonl",
        "--mode",
        "build",
        "--system",
        "Be short.",
        "--max-tokens",
        "77",
        "--param",
        "top_p=0.5",
    )
    with serve(TEXT, TEXT, TEXT, TEXT) as server:
        server.ask(*first, "hi")
        server.ask("--continue", "a.jsonl", "more", environ={"HARNESS_MODEL": "openai/other"})
        server.ask("--continue", "a.jsonl", "-m", "openai/newer", "--mode", "plan", "--param", "top_p=0.9", "more")
        server.ask("--continue", "a.jsonl", "--system", "Be long.", "--max-tokens", "9", "more")
        bodies = server.bodies
    seen = [(b["model"], b["max_completion_tokens"], b["top_p"], len(b["tools"])) for b in bodies]
    assert seen == [
        ("gpt-4.1-mini", 77, 0.5, 6), ("gpt-4.1-mini", 77, 0.5, 6), ("newer", 77, 0.9, 3), ("newer", 9, 0.9, 3),
    ]  # fmt: skip
    assert [contents(body)[0] for body in bodies] == [("system", "Be short.")] * 3 + [("system", "Be long.")]


def test_the_built_in_prompt_follows_folder_and_mode(serve, folder):
    (folder / "other").mkdir()
    with serve(TEXT, TEXT, TEXT) as server:
        server.ask("--out", "a.jsonl", "hi")
        server.ask("--continue", "a.jsonl", "more")
        server.ask("--continue", "a.jsonl", "-b", "--workspace", "other", "more")
        first, same, other = (contents(body)[0][1] for body in server.bodies)
    assert first == same
    assert f"{folder / 'other'}." in other
    assert "run shell commands" in other


def test_no_tools_stay_no_tools(serve):
    with serve(TEXT, TEXT, TEXT) as server:
        server.ask("--out", "a.jsonl", "--no-tools", "hi")
        server.ask("--continue", "a.jsonl", "more")
        server.ask("--continue", "a.jsonl", "--mode", "plan", "more")
        assert [len(body.get("tools", [])) for body in server.bodies] == [0, 0, 3]
        assert contents(server.bodies[1])[0] == ("user", "hi")


def test_another_provider_is_given_the_history_in_its_own_form(serve):
    answer = fixture("anthropic/session-answer.sse")
    with serve(CALLS, TEXT, answer) as server:
        server.ask("--out", "a.jsonl", "hi")
        url = server.server.url
        server.ask("--continue", "a.jsonl", "-m", "anthropic/claude", "--base-url", url, "more")
        body = server.bodies[2]
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user", "assistant", "user"]
    assert [turn.provider for turn in harness.open("a.jsonl").turns] == ["openai", "anthropic"]
    assert call("replay", "a.jsonl").exit_code == 0


@pytest.mark.parametrize(
    ("broken", "code", "roles"),
    [
        (fixture("openai-chat/truncated.sse", ending="cut"), 1, ["user", "assistant", "tool", "user"]),
        (error(400, "no"), 1, ["user", "user"]),
    ],
    ids=["cut", "refused"],
)
def test_a_turn_that_failed_is_gone_on_with(serve, broken, code, roles):
    with serve(broken, TEXT) as server:
        server.ask("--out", "a.jsonl", "--no-tools", "hi", exit_code=code)
        server.ask("--continue", "a.jsonl", "again")
        assert [role for role, _ in contents(server.bodies[1])] == roles
    assert call("replay", "a.jsonl").exit_code == 0


@pytest.mark.parametrize("kind", ["tool_result", "frame", "event", "loop"])
def test_a_turn_in_which_the_process_died_is_gone_on_with(serve, folder, kind):
    with serve(CALLS, TEXT, TEXT) as server:
        server.ask("--out", "a.jsonl", "hi")
        data = (folder / "a.jsonl").read_bytes()
        (folder / "a.jsonl").write_bytes(data[: data.index(b'{"kind":"%b"' % kind.encode()) + 25])
        result = server.ask("--continue", "a.jsonl", "more")
        messages = server.bodies[-1]["messages"]
    assert "lost" not in result.stderr
    calls = [one["id"] for message in messages for one in message.get("tool_calls", ())]
    assert [message["tool_call_id"] for message in messages if message["role"] == "tool"] == calls
    assert harness.open("a.jsonl", strict=True).turns[1].input == "more"
    assert call("replay", "a.jsonl").exit_code == 0


def test_damage_in_the_middle_is_told(serve, folder):
    with serve(CALLS, TEXT, TEXT) as server:
        server.ask("--out", "a.jsonl", "hi")
        lines = (folder / "a.jsonl").read_bytes().splitlines(keepends=True)
        number = next(i for i, line in enumerate(lines) if b'"kind":"response"' in line)
        (folder / "a.jsonl").write_bytes(b"".join([*lines[:number], b"{x\n", *lines[number + 1 :]]))
        result = server.ask("--continue", "a.jsonl", "more")
    assert result.stderr.startswith(f"harness: a.jsonl: line {number + 1}: ")
    assert "what is lost is not taken over" in result.stderr


def test_secrets_stay_out_of_what_is_taken_over(serve, folder):
    environ = {"OPENAI_API_KEY": KEY}
    with serve(TEXT, TEXT) as server:
        server.ask("--out", "a.jsonl", f"my key is {KEY}", environ=environ)
        server.ask("--continue", "a.jsonl", f"was it {KEY[:-1]}x, or {KEY}?", environ=environ)
        assert contents(server.bodies[1])[1] == ("user", "my key is [redacted:openai:1]")
    text = (folder / "a.jsonl").read_text("utf-8")
    assert KEY not in text
    assert "was it [redacted:openai:2], or [redacted:openai:3]?" in text
    assert call("replay", "a.jsonl").exit_code == 0


def test_another_file_for_what_comes(serve, folder):
    with serve(TEXT, TEXT, TEXT) as server:
        server.ask("--out", "a.jsonl", "hi")
        before = (folder / "a.jsonl").read_bytes()
        (folder / "a.jsonl.gz").write_bytes(gzip.compress(before))
        server.ask("--continue", "a.jsonl.gz", "--out", "b.jsonl", "--tag", "branch", "more")
        server.ask("--continue", "a.jsonl", "--no-record", "more")
        assert [len(body["messages"]) for body in server.bodies] == [2, 4, 4]
    assert (folder / "a.jsonl").read_bytes() == before
    branch = harness.open("b.jsonl", strict=True)
    assert (branch.header["tags"], len(branch.turns[0].history), branch.resumes) == (["branch"], 2, [])
    assert call("replay", "b.jsonl").exit_code == 0


def test_append_begins_a_new_conversation(serve):
    with serve(TEXT, TEXT, TEXT) as server:
        server.ask("--out", "a.jsonl", "one")
        server.ask("--append", "a.jsonl", "two")
        server.ask("--continue", "a.jsonl", "three")
        assert [len(body["messages"]) for body in server.bodies] == [2, 2, 4]
        assert contents(server.bodies[2])[1] == ("user", "two")
    assert [len(turn.history) for turn in harness.open("a.jsonl", strict=True).turns] == [0, 0, 2]
    assert call("replay", "a.jsonl").exit_code == 0


def test_append_to_a_recording_of_another_program(serve, folder):
    with serve(TEXT, TEXT) as server:
        server.ask("--out", "b.jsonl", "one")
        lines = (folder / "b.jsonl").read_bytes().splitlines(keepends=True)
        left = [x.replace(b'"turn":0,', b"") for x in lines if not x.startswith((b'{"kind":"turn"', b'{"kind":"loop"'))]
        (folder / "a.jsonl").write_bytes(b"".join(left))
        line = refusal("ask", "--continue", "a.jsonl", "two")
        assert line == "harness: a.jsonl: it holds no turn of the agent to go on with (--append begins one in it)"
        server.ask("--append", "a.jsonl", "two")
    assert [turn.number for turn in harness.open("a.jsonl").turns] == [0]


def test_fsync(serve, monkeypatch):
    synced = []
    monkeypatch.setattr(Writer, "_sync", lambda self: synced.append(self.path.name))
    with serve(TEXT, TEXT) as server:
        server.ask("--out", "a.jsonl", "hi")
        assert synced == []
        server.ask("--append", "a.jsonl", "--fsync", "hi")
        assert len(synced) >= 3


def recorded_elsewhere(folder, **fields):
    header = {
        "kind": "header", "seq": 0, "t": 0, "format": "trajectory", "version": 1, "id": "x", "tags": [],
        "started_at": "2026-01-01T00:00:00Z", "by": {"name": "x", "version": "1"}, "source": "live",
        "redaction": {"rules": []}, "normalizers": [],
    }  # fmt: skip
    turn = {
        "kind": "turn", "seq": 1, "t": 0, "turn": 0, "input": "hi", "history": [], "mode": "PLAN", "provider": "openai",
        "model": "m", "system": None, "tools": [], "params": {}, "limits": {}, **fields,
    }  # fmt: skip
    (folder / "a.jsonl").write_text(f"{json.dumps(header)}\n{json.dumps(turn)}\n", "utf-8")


@pytest.mark.parametrize("host", ["evil.test", "127.evil.test", "localhost.evil.test", "10.0.0.1"])
def test_a_key_is_not_sent_where_a_recording_says(folder, host):
    url = f"https://{host}/v1"
    recorded_elsewhere(folder, base_url=url)
    line = refusal("ask", "--continue", "a.jsonl", "hi", environ={"OPENAI_API_KEY": KEY})
    assert line == f"harness: a.jsonl: its last turn went to {url}: pass --base-url {url} to send there again"
    assert len(records(folder / "a.jsonl")) == 2


@pytest.mark.parametrize("url", [None, "https://api.openai.com/v1"])
def test_the_providers_own_place_needs_its_key(folder, url):
    recorded_elsewhere(folder, base_url=url)
    assert "no API key for openai: set OPENAI_API_KEY" in refusal("ask", "--continue", "a.jsonl", "hi")


def test_a_configured_provider_is_gone_on_with(serve, folder, monkeypatch):
    no_backoff(monkeypatch)
    recorded_elsewhere(folder, provider="house", base_url="http://house.test/v1")
    (folder / "pyproject.toml").write_text(
        '[tool.harness.providers.house]\nbase_url = "http://house.test/v1"\nneeds_key = false\n', "utf-8"
    )
    with serve(TEXT):
        result = call("ask", "--continue", "a.jsonl", "--no-record", "-q", "hi")
    assert "cannot reach house.test" in result.stderr


NEWER = b'{"kind":"header","seq":0,"t":0,"format":"trajectory","version":99}\n'


@pytest.mark.parametrize("option", ["--continue", "--append"])
@pytest.mark.parametrize(
    ("data", "says"),
    [
        (None, "No such file or directory"), (NEWER, "format version 99 is newer than 1"),
        (b"notes, not a recording", "not a recording"), (b"\x1f\x8bxx", ""), ("folder", "name a file in it"),
    ],
    ids=["missing", "newer", "foreign", "gzip", "folder"],
)  # fmt: skip
def test_files_that_cannot_be_gone_on_with(folder, option, data, says):
    if data == "folder":
        (folder / "a.jsonl").mkdir()
    elif data is not None:
        (folder / "a.jsonl").write_bytes(data)
    line = refusal("ask", option, "a.jsonl", "-m", "openai/m", "--base-url", "http://127.0.0.1:9", "hi")
    assert line.startswith("harness: a.jsonl:")
    assert says in line
    if isinstance(data, bytes):
        assert (folder / "a.jsonl").read_bytes() == data


def test_a_compressed_recording_is_read_but_not_appended_to(serve, folder):
    recorded_elsewhere(folder, base_url="http://127.0.0.1:9/v1")
    packed = gzip.compress((folder / "a.jsonl").read_bytes())
    (folder / "a.jsonl.gz").write_bytes(packed)
    line = refusal("ask", "--continue", "a.jsonl.gz", "hi")
    assert "cannot append to a compressed recording" in line
    assert (folder / "a.jsonl.gz").read_bytes() == packed


def test_a_recording_that_is_being_written_is_left_alone(folder):
    recorded_elsewhere(folder, base_url="http://127.0.0.1:9/v1")
    with Writer.append(folder / "a.jsonl"):
        assert "it is being written to already" in refusal("ask", "--continue", "a.jsonl", "hi")
    assert len(records(folder / "a.jsonl")) == 2


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--append", "a", "--continue", "b"], "--append and --continue contradict each other"),
        (["--append", "a", "--out", "b"], "--append and --out contradict each other"),
        (["--append", "a", "--no-record"], "--append and --no-record contradict each other"),
        (["--fsync", "--no-record"], "--fsync and --no-record contradict each other"),
        (["--append", "a", "--force"], "--force is for a new recording; --append goes on with an old one"),
        (["--append", "a", "--task", "x"], "--task is for a new recording; --append goes on with an old one"),
        (["--append", "a", "--tag", "x"], "--tag is for a new recording; --append goes on with an old one"),
        (["--continue", "a", "--source", "x"], "--source is for a new recording; --continue goes on with an old one"),
    ],
)
def test_options_that_contradict_each_other(options, says):
    assert says in refusal("ask", *options, "hi")


def test_the_modes_are_those_of_the_loop():
    from agent.tools import MODES as TOOL_MODES

    assert [mode.upper() for mode in MODES] == [*TOOL_MODES]
