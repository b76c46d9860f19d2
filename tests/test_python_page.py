"""docs/python.md: its examples run, and what its tables say is so."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import pytest

from harness.clients.modes import MODES, VARIABLE
from harness.clients.sessions import Session
from harness.replaying import normalizers
from tests.fake_network import install

PAGE_PATH = Path(__file__).resolve().parents[1] / "docs" / "python.md"
PAGE = PAGE_PATH.read_text("utf-8")
SECTIONS = {part.partition("\n")[0]: part for part in PAGE.split("\n## ")[1:]}
BLOCKS = {name: re.findall(r"```python\n(.*?)```", part, re.S) for name, part in SECTIONS.items()}
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY")
ADDRESSES = ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_API_KEY")


def blocks_of(name):
    """A section's blocks, after those that made the recording which it reads."""
    needs = BLOCKS["OpenAI"] if name == "When no recorded call answers" else []
    return [*needs, *BLOCKS[name]]


@pytest.mark.parametrize("name", [name for name, blocks in BLOCKS.items() if blocks])
@pytest.mark.filterwarnings("ignore:.*:UserWarning")
def test_examples(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for variable in (*ADDRESSES, "CI", VARIABLE):
        monkeypatch.delenv(variable, raising=False)
    for variable in KEYS:
        monkeypatch.setenv(variable, "sk-test-0123456789abcdefghijklmnop")
    with install() as asked:
        for block in blocks_of(name):
            for module in re.findall(r"^(?:import|from) (openai|anthropic|google)\b", block, re.M):
                pytest.importorskip({"google": "google.genai"}.get(module, module), reason=f"{module} is not installed")
            exec(compile(block, f"docs/python.md, {name}", "exec"), {"__name__": "example"})
            assert len(asked) == (1 if "harness.record(" in block or "harness.Recorder(" in block else 0), (
                "a replay asked"
            )
            asked.clear()
    if name == "When no recorded call answers":
        (shown,) = re.findall(r"```text\n(.*?)\n```", SECTIONS[name], re.S)
        assert shown in capsys.readouterr().out


def test_tables():
    for mode in MODES:
        assert f"| `{mode}`" in SECTIONS["Modes"]
    rows = re.findall(r"^\| `(\w+)` \|", SECTIONS["What requests are matched by"], re.M)
    assert sorted(rows) == sorted(normalizers.BUILT_IN)
    for row in re.findall(r"^\| (`.*?) \|", SECTIONS["What a session offers"], re.M):
        for name in re.findall(r"`(\w+)", row):
            assert hasattr(Session, name) or name in ("mode", "misses"), name


def test_the_readme_shows_this_door_in_five_lines(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)
    readme = (PAGE_PATH.parents[1] / "README.md").read_text("utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", readme.split("\n## In Python\n")[1].split("\n## ")[0], re.S)
    assert len(block.strip().splitlines()) <= 5
    record, replay = re.findall(r"harness\.\w+\(.*?\)", block)

    def run_my_agent(prompt):
        body = {"model": "m", "messages": [{"role": "user", "content": prompt}]}
        httpx.post("https://api.openai.com/v1/chat/completions", json=body)

    with install() as asked:
        exec(block, {"run_my_agent": run_my_agent})
        exec(block.replace(record, replay), {"run_my_agent": run_my_agent})
        assert asked == ["api.openai.com"]
