"""`harness ask` against a scripted server: its options, what goes to which stream, exit statuses."""

from __future__ import annotations

import json
import socket

import pytest

import harness
from harness.recording.writer import Writer
from tests.harness.cli.cli import call, lines_of, no_backoff, refusal
from tests.scripted import Answer, error, fixture, scripted

TEXT = fixture("openai-chat/session-answer.sse")
ANSWER = "The folder holds a plan and a list of seeds; tea is at four. ☕\n"
CALLS = fixture("openai-chat/session-parallel.sse")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "garden").mkdir()
    (tmp_path / "garden" / "plan.txt").write_text("Tea at four.\n", "utf-8")
    return tmp_path


def ask(answers, *args, provider="openai", model="gpt-4.1-mini", **more):
    """The result, and the bodies of the requests."""
    with scripted(answers) as server:
        words = args if args and (args[-1] == "-" or "hi" in args) else (*args, "hi")
        result = call("ask", "-m", f"{provider}/{model}", "--base-url", server.url, *words, **more)
        return result, [json.loads(exchange.body) for exchange in server.exchanges]


def recording(folder):
    (path,) = (folder / "recordings").glob("*.jsonl")
    return harness.open(path)


def test_text_to_stdout_and_one_line_to_stderr(folder):
    result, _ = ask([TEXT])
    assert (result.exit_code, result.stdout) == (0, ANSWER)
    (path,) = (folder / "recordings").iterdir()
    (line,) = result.stderr.splitlines()
    assert line.startswith("tokens: 702 in, 19 out · $0.000")
    assert line.endswith(f" · stop · recorded in recordings/{path.name}")
    assert "openai-gpt-4.1-mini" in path.name


def test_tool_calls_are_told_on_stderr():
    result, bodies = ask([CALLS, TEXT], "--workspace", "garden")
    assert result.exit_code == 0
    assert result.stdout == f"I will look at both.\n{ANSWER}"
    assert result.stderr.splitlines()[:4] == [
        "-> list_dir path=.",
        "-> read_file path=plan.txt",
        "<- 12 characters: plan.txt 13",
        "<- 12 characters: Tea at four.",
    ]
    assert [message["role"] for message in bodies[1]["messages"]] == ["system", "user", "assistant", "tool", "tool"]


def test_the_built_in_prompt_tells_folder_and_mode(folder):
    _, (body,) = ask([TEXT], "--workspace", "garden")
    system, user = body["messages"]
    assert str(folder / "garden") in system["content"]
    assert "read and search" in system["content"]
    assert user == {"role": "user", "content": "hi"}


@pytest.mark.parametrize(
    ("options", "tools"),
    [
        ([], {"read_file", "list_dir", "search"}),
        (["--mode", "fix"], {"read_file", "list_dir", "search", "write_file", "edit_file"}),
        (["--mode", "build"], {"read_file", "list_dir", "search", "write_file", "edit_file", "shell"}),
        (["-b"], {"read_file", "list_dir", "search", "write_file", "edit_file", "shell"}),
        (["--mode", "swe"], {"read_file", "list_dir", "search", "write_file", "edit_file", "shell"}),
        (["--no-tools"], set()),
    ],
    ids=["plan", "fix", "build", "-b", "swe", "no-tools"],
)
def test_mode_decides_which_tools_are_offered(folder, options, tools):
    _, (body,) = ask([TEXT], *options)
    assert {tool["function"]["name"] for tool in body.get("tools", [])} == tools
    (turn,) = recording(folder).turns
    assert {tool["name"] for tool in turn.tools} == tools


def test_the_query_of_a_base_url_stays(folder):
    where = "/openai/deployments/d/chat/completions?api-version=2024-10-21"
    with scripted([TEXT, TEXT]) as server:
        assert call("ask", "-m", "azure/m", "--base-url", server.url + where, "--out", "a.jsonl", "hi").exit_code == 0
        assert call("ask", "--continue", "a.jsonl", "more").exit_code == 0
        assert [exchange.path for exchange in server.exchanges] == [where, where]
    assert call("replay", "a.jsonl").exit_code == 0
    said = refusal("ask", "-m", "azure/m", "--base-url", f"{server.url}?api-key=abc", "hi")
    assert said.endswith("a base URL must hold no key (api-key=...): keys are sent in headers")


def test_without_tools_no_built_in_prompt_speaks_of_them():
    _, (body,) = ask([TEXT], "--no-tools")
    assert [message["role"] for message in body["messages"]] == ["user"]


def test_request_options():
    options = ("--system", "Be short.", "--max-tokens", "77", "--param", "temperature=0.5", "--param", "user=Zoë=1")
    _, (body,) = ask([TEXT], *options, "--param", 'stop=["a"]')
    assert body["messages"][0] == {"role": "system", "content": "Be short."}
    assert (body["max_completion_tokens"], body["temperature"], body["user"]) == (77, 0.5, "Zoë=1")
    assert body["stop"] == ["a"]


def test_model_from_the_environment():
    with scripted([TEXT]) as server:
        result = call("ask", "--base-url", server.url, "hi", "there", environ={"HARNESS_MODEL": "openai/some"})
        assert result.exit_code == 0
        body = json.loads(server.exchanges[0].body)
    assert (body["model"], body["messages"][-1]["content"]) == ("some", "hi there")


def test_prompt_from_stdin():
    _, (body,) = ask([TEXT], "-", stdin=b"Was kostet\ndas?\n")
    assert body["messages"][-1]["content"] == "Was kostet\ndas?\n"


def test_json_lines():
    result, _ = ask([CALLS, TEXT], "--workspace", "garden", "--json")
    events = lines_of(result.stdout)
    assert all(set(event) == {"event", "data"} for event in events)
    names = [event["event"] for event in events]
    assert names[:6] == ["text", "text", "tool_call", "tool_call", "tool_result", "tool_result"]
    assert names[-2:] == ["finish", "done"]
    assert result.stderr.count("\n") == 1


def test_json_lines_of_a_failure():
    result, _ = ask([error(400, "no such parameter")], "--json")
    assert [event["event"] for event in lines_of(result.stdout)] == ["error", "finish", "done"]
    assert result.exit_code == 1


def test_quiet():
    result, _ = ask([CALLS, TEXT], "--workspace", "garden", "-q")
    assert (result.exit_code, result.stdout, result.stderr) == (0, f"I will look at both.\n{ANSWER}", "")


def test_quiet_tells_errors():
    result, _ = ask([error(400, "no such parameter")], "-q")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "error: Provider HTTP 400: no such parameter\n"


def test_no_record(folder):
    result, _ = ask([TEXT], "--no-record")
    assert (result.exit_code, result.stdout) == (0, ANSWER)
    assert "recorded" not in result.stderr
    assert not (folder / "recordings").exists()


def test_out_tags_and_source(folder):
    result, _ = ask([TEXT], "--out", "new/one.jsonl", "--tag", "a", "--tag", "b", "--source", "a test", "--task", "t")
    assert result.stderr.endswith("recorded in new/one.jsonl\n")
    header = harness.open(folder / "new" / "one.jsonl").header
    assert (header["task"], header["tags"], header["source"]) == ("t", ["a", "b"], "a test")


def test_force_overwrites(folder):
    (folder / "old.jsonl").write_text("old\n", "utf-8")
    result, _ = ask([TEXT], "--out", "old.jsonl", "--force")
    assert result.exit_code == 0
    assert call("replay", "old.jsonl").exit_code == 0


@pytest.mark.parametrize("mode", [[], ["--json"]], ids=["human", "json"])
def test_a_wrong_key_names_its_variable_and_stays_out(folder, mode):
    answer = error(401, "Incorrect API key provided", code="invalid_api_key")
    key = "sk-test-0123456789abcdefghijklmnop"
    result, _ = ask([answer], *mode, environ={"OPENAI_API_KEY": key})
    assert result.exit_code == 1
    assert "OPENAI_API_KEY" in result.output
    assert key not in result.output
    (path,) = (folder / "recordings").iterdir()
    assert key not in path.read_text("utf-8")


@pytest.mark.parametrize(
    ("answer", "message", "hint"),
    [
        (
            error(404, "The model `gpt-9` does not exist"),
            "Provider HTTP 404: The model `gpt-9` does not exist",
            "model",
        ),
        (error(402, "no credits left"), "Provider HTTP 402: no credits left", "credit"),
        (error(403, "not for you"), "Provider HTTP 403: not for you", "allowed"),
        (Answer(b"<html><title>Welcome</title></html>", 404, "text/html"), "Provider HTTP 404: Welcome", "base URL"),
    ],
    ids=["unknown-model", "no-credits", "forbidden", "no-api-there"],
)
def test_refusals_say_what_to_do(answer, message, hint):
    result, bodies = ask([answer])
    first, second, _ = result.stderr.splitlines()
    assert (result.exit_code, result.stdout, len(bodies)) == (1, "", 1)
    assert first == f"error: {message}"
    assert second.startswith("-> ")
    assert hint in second


def test_a_retry_is_told():
    result, bodies = ask([error(429, "slow down"), TEXT])
    assert (result.exit_code, result.stdout, len(bodies)) == (0, ANSWER, 2)
    assert result.stderr.startswith("retry 1 in 0.")


@pytest.mark.parametrize("ending", ["cut", "reset"])
def test_a_broken_answer_ends_with_status_1(folder, ending):
    result, _ = ask([fixture("openai-chat/truncated.sse", ending=ending)])
    assert result.exit_code == 1
    assert result.stdout
    assert "error: the stream broke off before the provider's end mark" in result.stderr
    assert call("replay", "recordings").exit_code == 0


def test_a_refused_port(folder, monkeypatch):
    no_backoff(monkeypatch)
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
        result = call("ask", "-m", "openai/any", "--base-url", f"http://127.0.0.1:{port}", "-q", "hi")
    assert (result.exit_code, result.stdout) == (1, "")
    message, hint = result.stderr.splitlines()
    assert f"cannot reach 127.0.0.1:{port}" in message
    assert "check that the server is running" in hint
    assert len(recording(folder).calls) == 4


def test_an_unknown_host(monkeypatch):
    no_backoff(monkeypatch)
    result = call("ask", "-m", "openai/any", "--base-url", "http://no-such-host.invalid", "-q", "--no-record", "hi")
    assert result.exit_code == 1
    message, hint = result.stderr.splitlines()
    assert "cannot reach no-such-host.invalid" in message
    assert hint.startswith("-> ")


def test_an_answer_without_token_counts():
    result, _ = ask([fixture("openai-chat/text-and-usage.sse"), fixture("openai-chat/finish-eos.sse")], "--no-record")
    assert result.exit_code == 0
    result, _ = ask([error(400, "no")], "--no-record")
    assert result.stderr.splitlines()[-1] == "tokens: not told · unpriced · error"


def test_a_fault_of_the_recorder_is_told_and_fails(monkeypatch):
    write = Writer.write

    def full(self, records):
        if any(record["kind"] == "frame" for record in records):
            raise OSError(28, "No space left on device")
        return write(self, records)

    monkeypatch.setattr(Writer, "write", full)
    result, _ = ask([TEXT], "--out", "a.jsonl")
    assert (result.exit_code, result.stdout) == (1, ANSWER)
    (warning, _) = result.stderr.splitlines()
    assert "No space left on device" in warning


def test_the_configuration_holds_where_no_option_wins(folder):
    with scripted([TEXT, TEXT, TEXT]) as server:
        (folder / "pyproject.toml").write_text(
            f"""
[tool.harness]
model = "house/one"
recordings = "kept"
[[tool.harness.redact]]
name = "customer"
pattern = "CUST-[0-9]+"
[tool.harness.providers.house]
base_url = "{server.url}/v1"
wire = "openai-chat"
needs_key = false
[tool.harness.prices."house/*"]
input = 1000
output = 1000
""",
            "utf-8",
        )
        result = call("ask", "Who is CUST-4711?")
        assert (result.exit_code, result.stdout) == (0, ANSWER), result.stderr
        assert "tokens: 702 in, 19 out · $0.721000 · stop" in result.stderr
        assert json.loads(server.exchanges[0].body)["model"] == "one"
        assert json.loads(server.exchanges[0].body)["messages"][-1]["content"] == "Who is CUST-4711?"
        assert call("ask", "-m", "house/two", "--out", "here.jsonl", "hi").exit_code == 0
        assert call("ask", "hi", environ={"HARNESS_MODEL": "house/three"}).exit_code == 0
        assert [json.loads(one.body)["model"] for one in server.exchanges] == ["one", "two", "three"]
    kept = sorted((folder / "kept").iterdir())
    assert len(kept) == 2
    assert "CUST-4711" not in kept[0].read_text("utf-8")
    assert call("replay", "kept", "here.jsonl").exit_code == 0


def test_a_wrong_configuration_is_one_line(folder):
    (folder / "pyproject.toml").write_text("[tool.harness]\nmodle = 'a/b'\n", "utf-8")
    line = refusal("ask", "hi")
    assert "tool.harness.modle: unknown key; did you mean model" in line
