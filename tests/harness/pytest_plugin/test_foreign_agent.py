from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from harness.pytest_plugin import foreign_agent

ROOT = Path(__file__).resolve().parents[3]
CHECK = (
    "from harness.pytest_plugin.foreign_agent import check_agent\ntry:\n check_agent()\nexcept Exception as e: print(e)"
)


def told(folder: Path, code: str = "") -> str:
    """What the check says in a process that finds the modules of `folder` first."""
    script = f"import sys; sys.path[:0] = [{str(folder)!r}, {str(ROOT)!r}]\n{code}\n{CHECK}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=folder)
    assert done.stderr == ""
    return done.stdout


@pytest.fixture
def foreign(tmp_path):
    (tmp_path / "agent").mkdir()
    return tmp_path


def test_the_own_package_passes(tmp_path):
    foreign_agent.check_agent()
    assert told(tmp_path) == ""


@pytest.mark.parametrize("code", ["", "import agent"], ids=["not loaded", "loaded"])
def test_a_foreign_package_is_named(foreign, code):
    (foreign / "agent" / "__init__.py").write_text("raise SystemExit('imported')" if not code else "")
    text = told(foreign, code)
    assert text.startswith(f"{foreign / 'agent'} is imported as `agent`, the name of a package that trajectory-harness")
    assert text.count("\n") == 1


def test_a_foreign_module_is_named(foreign):
    (foreign / "agent").rmdir()
    (foreign / "agent.py").write_text("")
    assert told(foreign).startswith(f"{foreign / 'agent.py'} is imported as `agent`")


def test_a_folder_without_an_init_hides_nothing(foreign):
    assert told(foreign) == ""
