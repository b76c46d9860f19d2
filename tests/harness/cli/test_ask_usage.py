"""`harness ask` that cannot begin: one line that says what to do, exit status 2, nothing sent and nothing recorded."""

from __future__ import annotations

import pytest

from tests.harness.cli.cli import refusal

URL = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert not (tmp_path / "recordings").exists()


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["hi"], "no model: name one, for example --model openai/gpt-4.1-mini, or set HARNESS_MODEL"),
        (["-m", "gpt-4.1", "hi"], "is not of the form provider/model"),
        (["-m", "openia/gpt-4.1", "hi"], "did you mean openai"),
        (["-m", "nobody/model", "hi"], "unknown provider 'nobody'"),
        (["-m", "nobody/model", "hi"], "(--base-url URL)"),
        (["-m", "openai/gpt-4.1", "hi"], "no API key for openai: set OPENAI_API_KEY"),
        (["-m", "gemini/gemini-2.5-flash", "hi"], "set GEMINI_API_KEY or GOOGLE_API_KEY"),
        (["-m", "openai/any", "--base-url", "127.0.0.1:80", "hi"], "must begin with http:// or https://"),
        (["-m", "openai/any", "--base-url", "http://me:pass@host/v1", "hi"], "no user name or password"),
        (["-m", "openai/any", "--base-url", URL], "the prompt is empty"),
        (["-m", "openai/any", "--base-url", URL, "  "], "the prompt is empty"),
        (["-m", "openai/any", "--base-url", URL, "\udcff"], "not UTF-8"),
        (["-m", "openai/any", "--base-url", URL, "--workspace", "nowhere", "hi"], "'nowhere' does not exist"),
        (["-m", "openai/any", "--base-url", URL, "--mode", "fast", "hi"], "'plan', 'fix', 'build', 'swe'"),
        (["-m", "openai/any", "--base-url", URL, "--param", "temperature", "hi"], "write KEY=VALUE"),
        (["-m", "openai/any", "--base-url", URL, "--param", "=1", "hi"], "write KEY=VALUE"),
        (["-m", "openai/any", "--base-url", URL, "--max-tokens", "0", "hi"], "--max-tokens"),
        (["-m", "openai/any", "--base-url", URL, "--no-record", "--out", "a.jsonl", "hi"], "contradict"),
        (["-m", "openai/any", "--base-url", URL, "--out", ".", "hi"], "this is a folder"),
        (["-m", "openai/any", "--base-url", URL, "--out", "a.jsonl.gz", "hi"], "a.jsonl.gz"),
        (["-m", "openai/any", "--base-url", URL, "--bogus", "hi"], "--bogus"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_one_line(args, says):
    assert says in refusal("ask", *args)


def test_an_existing_recording(folder):
    (folder / "mine.jsonl").write_text("precious", "utf-8")
    line = refusal("ask", "-m", "openai/any", "--base-url", URL, "--out", "mine.jsonl", "hi")
    assert line == "harness: mine.jsonl: the file exists (pass --force to overwrite it, or name another)"
    assert (folder / "mine.jsonl").read_text("utf-8") == "precious"


def test_a_recording_below_a_file(folder):
    (folder / "file").write_text("", "utf-8")
    assert "cannot create" in refusal("ask", "-m", "openai/any", "--base-url", URL, "--out", "file/a.jsonl", "hi")


def test_a_key_that_cannot_be_one():
    line = refusal("ask", "-m", "openai/any", "hi", environ={"OPENAI_API_KEY": "schlüssel"})
    assert "the value of OPENAI_API_KEY cannot be an API key" in line
    assert "schl" not in line


@pytest.mark.parametrize("text", [b"", b" \n", b"\xef\xbb\xbf"], ids=["nothing", "blank", "bom"])
def test_an_empty_prompt_on_stdin(text):
    assert "the prompt is empty" in refusal("ask", "-m", "openai/any", "--base-url", URL, "-", stdin=text)


def test_a_prompt_that_is_no_text():
    assert "not UTF-8" in refusal("ask", "-m", "openai/any", "--base-url", URL, "-", stdin=b"\xff\xfe\x00")


def test_a_proxy_that_cannot_be_used():
    line = refusal(
        "ask", "-m", "openai/any", "--base-url", "http://host.invalid", "hi", environ={"all_proxy": "bad://x"}
    )
    assert "the proxy bad://x cannot be used" in line
    assert "proxy variables" in line


def test_an_unknown_command():
    assert "No such command 'aks'" in refusal("aks")
