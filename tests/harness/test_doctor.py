from __future__ import annotations

import os
from importlib import metadata
from pathlib import Path

import pytest

from harness import doctor
from harness.doctor import examine

KEY = "TESTKEY-AAAA-1111"


def test_a_plain_folder(tmp_path):
    report = examine(tmp_path, {})
    assert report.problems == []
    assert report.config is None
    assert report.model is None
    assert report.variables == []
    assert report.versions["trajectory-harness"] == metadata.version("trajectory-harness")
    assert report.versions["click"] == metadata.version("click")
    assert report.versions["pytest"] == metadata.version("pytest")
    assert [(folder.use, folder.exists, folder.writable) for folder in report.folders] == [
        ("recordings", False, True),
        ("reports", False, True),
    ]
    assert {one.name for one in report.providers if one.ready} == {"ollama", "lmstudio"}


def test_keys_by_the_names_of_their_variables(tmp_path):
    environ = {
        "GOOGLE_API_KEY": KEY, "OLLAMA_HOST": "http://h", "https_proxy": f"http://u:{KEY}@p",
        "HARNESS_MODEL": "openai/m",
        "OPENAI_API_KEY": "ä" + KEY, "CI": "1", "UNRELATED": KEY,
    }  # fmt: skip
    report = examine(tmp_path, environ)
    found = {one.name: one for one in report.providers}
    assert (found["gemini"].key, found["gemini"].ready) == ("GOOGLE_API_KEY", True)
    assert (found["openai"].key, found["openai"].ready) == ("OPENAI_API_KEY", False)
    assert report.variables == ["CI", "HARNESS_MODEL", "OLLAMA_HOST", "https_proxy"]
    assert report.model == "openai/m"
    assert report.problems[0] == "openai: the value of OPENAI_API_KEY has odd characters"
    assert KEY not in f"{report}{report.to_dict()}"


def test_configuration(tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        "[tool.harness]\nmodel = 'lab/m'\nrecordings = 'runs'\n"
        "[tool.harness.providers.lab]\nbase_url = 'http://lab'\nkey_variables = ['LAB_KEY']\n"
    )
    (tmp_path / "runs").mkdir()
    report = examine(tmp_path, {"LAB_KEY": KEY})
    assert report.config == str(tmp_path / "pyproject.toml")
    assert report.model == "lab/m"
    assert [(one.name, one.key) for one in report.providers if one.own] == [("lab", "LAB_KEY")]
    assert (report.folders[0].path, report.folders[0].exists) == (str(tmp_path / "runs"), True)


def test_wrong_configuration_is_a_problem(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.harness]\nmodle = 'x'\n")
    report = examine(tmp_path, {})
    assert report.config == str(tmp_path / "pyproject.toml")
    assert "tool.harness.modle: unknown key; did you mean model" in report.problems[0]


def test_folders_that_cannot_be_written_to(tmp_path):
    (tmp_path / "recordings").write_text("a file")
    report = examine(tmp_path, {})
    assert report.problems == [f"the folder for recordings cannot be written to: {tmp_path / 'recordings'}"]


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_shut_folder(tmp_path):
    tmp_path.chmod(0o500)
    assert len(examine(tmp_path, {}).problems) == 2


def test_packages_that_are_missing(tmp_path, monkeypatch):
    requires = ["click>=8", "no-such-package>=1", "starlette; extra == 'serve'", 'no-such-part; extra == "mcp"']
    monkeypatch.setattr(doctor.metadata, "requires", lambda name: requires)
    report = examine(tmp_path, {})
    assert report.versions["no-such-package"] == "not installed"
    assert report.problems == ["the package no-such-package is not installed: pip install trajectory-harness"]
    assert report.to_dict()["extras"]["mcp"] == {"present": False, "missing": ["no-such-part"]}
    assert [extra.name for extra in report.extras] == ["mcp", "serve"]


def test_home_is_not_named(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    (tmp_path / "work").mkdir()
    assert examine(tmp_path / "work", {}).folders[0].path == "~/work/recordings"
