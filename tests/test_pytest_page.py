"""docs/pytest.md: its tests and commands run, in the order of the page."""

from __future__ import annotations

import inspect
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from harness.clients.modes import MODES, OTHER_WORDS, VARIABLE
from harness.pytest_plugin.recording import _options

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "pytest.md").read_text("utf-8")
BLOCKS = re.findall(r"```(python|sh|text)\n(.*?)```", PAGE, re.S)
CONFTEST = "from tests.fake_network import install\nnetwork = install()\nnetwork.__enter__()\n"
PROGRAMS = {
    "pytest": ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:recording"],
    "harness": ["-c", "from harness.cli import main; main()"],
}


def environment():
    found = {name: value for name, value in os.environ.items() if name not in ("CI", VARIABLE, "PYTEST_ADDOPTS")}
    found["PYTHONPATH"] = str(ROOT)
    found["OPENAI_API_KEY"] = "sk-test-0123456789abcdefghijklmnop"
    found |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": "harness.pytest_plugin.plugin"}  # to start fast
    return found


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project with the page's tests, some recordings and a folder of cassettes."""
    folder = tmp_path_factory.mktemp("project")
    for kind, text in BLOCKS:
        if kind == "python":
            path = folder / text.partition("\n")[0].removeprefix("# ")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    (folder / "tests" / "conftest.py").write_text(CONFTEST)
    (folder / "recordings").mkdir()
    shutil.copy(ROOT / "recordings" / "openai-chat-text.jsonl", folder / "recordings")
    cassette = folder / "tests" / "cassettes" / "test_weather" / "test_old.yaml"
    cassette.parent.mkdir(parents=True)
    shutil.copy(ROOT / "tests" / "harness" / "formats" / "cassettes" / "stream.yaml", cassette)
    return folder


def run(folder, line, **environ):
    """Run one command of the page as it stands, but for where its program lies."""
    words = shlex.split(line)
    if words[:3] == ["env", "-u", "CI"]:
        words = words[3:]
    command = [sys.executable, *PROGRAMS[words[0]], *words[1:]]
    return subprocess.run(command, cwd=folder, env=environment() | environ, capture_output=True, text=True, timeout=60)


def test_commands(project):
    lines = [line for kind, text in BLOCKS if kind == "sh" for line in text.splitlines()]
    assert len(lines) == 8
    for line in lines:
        if not line.startswith("pip "):
            done = run(project, line)
            assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    recordings = project / "tests" / "recordings"
    assert sorted(str(path.relative_to(recordings)) for path in recordings.rglob("*.jsonl")) == [
        "test_client/test_given_a_client.jsonl", "test_weather/test_old.jsonl", "test_weather/test_rain.jsonl",
    ]  # fmt: skip


def test_what_a_miss_shows(project):
    module = project / "tests" / "test_weather.py"
    run(project, "pytest tests/test_weather.py --record-mode=record")
    module.write_text(module.read_text().replace("Will it rain in Oslo?", "Will it rain in Rome?"))
    done = run(project, "pytest tests/test_weather.py", CI="true")
    assert done.returncode == 1
    (shown,) = [text for kind, text in BLOCKS if kind == "text"]
    # pytest shows the exception of the client in one line; `report` has a line for each difference.
    for line in re.split(r", which differs in\n|\n", shown.strip()):
        assert line.strip() in done.stdout


def test_tables():
    parameters = list(inspect.signature(_options).parameters)[1:]
    (table,) = re.findall(r"\| argument of the marker \|.*?\n\n", PAGE, re.S)
    assert re.findall(r"^\| `(\w+)`", table, re.M) == parameters
    assert re.findall(r"^\| `([a-z-]+)` \|", PAGE.split("## Modes")[1], re.M)[: len(MODES)] == list(MODES)
    for word in OTHER_WORDS:
        assert f"`{word}`" in PAGE or f"--record-mode={word}`" in PAGE


def test_the_readme_shows_this_door_in_five_lines(project):
    section = (ROOT / "README.md").read_text("utf-8").split("\n## In pytest\n")[1].split("\n## ")[0]
    (block,) = re.findall(r"```python\n(.*?)```", section, re.S)
    assert len(block.strip().splitlines()) <= 5
    agent = (
        "import httpx, pytest\n\ndef run_my_agent(prompt):\n"
        "    body = {'model': 'm', 'messages': [{'role': 'user', 'content': prompt}]}\n"
        "    return 'rain' + httpx.post('https://api.openai.com/v1/chat/completions', json=body).text\n\n"
    )
    (project / "tests" / "test_readme.py").write_text(agent + block)
    for options in ("--record-mode=record", ""):
        done = run(project, f"pytest tests/test_readme.py {options}")
        assert done.returncode == 0, done.stdout
    assert "harness import vcr tests/cassettes/" in section
