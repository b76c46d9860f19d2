from __future__ import annotations

import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from agent.events import Usage
from agent.pricing import price_from_row
from agent.providers.table import PROVIDERS, resolve
from harness.config import Config, current, load
from harness.errors import ConfigError, HarnessError
from harness.redaction.redactor import Rule
from harness.replaying.normalizers import BUILT_IN

GUIDE = (Path(__file__).resolve().parents[2] / "docs/configuration.md").read_text("utf-8")
EXAMPLES = re.findall(r"```toml\n(.*?)```", GUIDE, re.S)


def configure(folder: Path, text: str) -> Config:
    (folder / "pyproject.toml").write_text(text, "utf-8")
    return load(folder)


def test_without_a_file_all_is_as_by_default(tmp_path):
    found = load(tmp_path)
    assert found == Config()
    assert found.path is None
    assert found.providers == PROVIDERS
    assert found.recordings == Path("recordings")


def test_the_nearest_file_with_the_table_counts(tmp_path):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "a/pyproject.toml").write_text("[project]\nname = 'x'\n")
    outer = configure(tmp_path, "[tool.harness]\nmodel = 'openai/m'\nrecordings = 'runs'\n")
    assert load(inner) == outer
    assert outer.path == tmp_path / "pyproject.toml"
    assert outer.recordings == tmp_path / "runs"
    assert outer.reports == Path("reports")
    configure(tmp_path / "a", "[tool.harness]\nmodel = 'openai/n'\n")
    assert load(inner).model == "openai/n"


def test_current_is_read_once(tmp_path, monkeypatch):
    configure(tmp_path, "[tool.harness]\nmodel = 'openai/m'\n")
    monkeypatch.chdir(tmp_path)
    found = current()
    configure(tmp_path, "[tool.harness]\nmodel = 'openai/n'\n")
    assert current() is found


def test_a_current_folder_that_was_deleted(tmp_path, monkeypatch):
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    with pytest.raises(HarnessError, match=r"^the current folder cannot be found \(No such file or directory\): "):
        current()


def test_a_provider_of_the_users_own(tmp_path):
    found = configure(
        tmp_path,
        "[tool.harness.providers.lab]\nbase_url = 'https://lab.example'\nheaders = {x-team = 'e'}\nwire = 'gemini'\n"
        "[tool.harness.providers.groq]\nbase_url = 'http://127.0.0.1:9/v2'\nneeds_key = false\n",
    )
    target, model = resolve("lab/m/x", base_url=None, environ={"LAB_API_KEY": "k-1"}, providers=found.providers)
    assert (target.base_url, target.key, target.wire, model) == (
        "https://lab.example/v1beta", "k-1", "gemini", "m/x",
    )  # fmt: skip
    assert target.headers == (("x-team", "e"),)
    target, _ = resolve("groq/m", base_url=None, environ={}, providers=found.providers)
    assert target.base_url == "http://127.0.0.1:9/v2"
    assert found.key_values({"LAB_API_KEY": "a", "GROQ_API_KEY": "", "HOME": "b"}) == {"LAB_API_KEY": "a"}


def test_prices(tmp_path):
    found = configure(
        tmp_path,
        '[tool.harness.prices]\n"lab/m" = { input = 1.1, output = 2 }\n"lab/*" = { input = 0, output = 0 }\n',
    )
    row = found.prices["lab/m"]
    assert row == {"input": Decimal("1.1"), "output": 2}
    assert price_from_row(Usage(1_000_000, 500_000), row) == Decimal("2.1")
    assert found.prices["lab/*"] == {"input": 0, "output": 0}


def test_rules_and_matching(tmp_path):
    found = configure(
        tmp_path, "[tool.harness]\nignore = ['user']\n[[tool.harness.redact]]\nname = 'c'\npattern = 'C-[0-9]+'\n"
    )
    assert found.redact == (Rule("c", "C-[0-9]+"),)
    assert found.redactor().text("see C-12") == "see [redacted:c:1]"
    rules = found.match_rules(host=True)
    assert rules.host
    assert rules.body({"user": "u", "model": "m"}) == {"model": "m"}


ROW = "[tool.harness.providers.x]\nbase_url = 'http://h'\n"
RULE = "[[tool.harness.redact]]\nname = 'a'\n"
WRONG = {
    "unknown-key": ("modle = 'openai/x'", "tool.harness.modle: unknown key; did you mean model"),
    "unknown-far": ("xyz = 1", "tool.harness.xyz: unknown key; known are model, recordings, reports, redact"),
    "type": ("model = 3", "tool.harness.model: should be a string"),
    "model": ("model = 'gpt'", "tool.harness.model: write provider/model"),
    "empty": ("recordings = ''", "tool.harness.recordings: should not be empty"),
    "rule-name": ("[[tool.harness.redact]]\nname = 'a b'\npattern = 'x'", "tool.harness.redact[0].name: the name of"),
    "rule-pattern": (
        RULE + "pattern = '('", "tool.harness.redact[0].pattern: not a regular expression",
    ),
    "rule-empty": (RULE + "pattern = 'x*'", "tool.harness.redact[0].pattern: matches the"),
    "rule-missing": ("[[tool.harness.redact]]\nname = 'a'", "tool.harness.redact[0].pattern: is missing"),
    "normalizer": ("normalizers = ['nothing-like-it']", "tool.harness.normalizers[0]: unknown normalizer"),
    "misspelt-before-missing": (
        "[tool.harness.providers.x]\nbase_ulr = 'h'", "tool.harness.providers.x.base_ulr: unknown key; did you mean",
    ),
    "base-url": ("[tool.harness.providers.x]\nbase_url = 'ftp://h'", "tool.harness.providers.x.base_url: the base URL"),
    "wire": (
        ROW + "wire = 'antropic'",
        "tool.harness.providers.x.wire: unknown wire format 'antropic'; did you mean anthropic",
    ),
    "variable": (
        ROW + "key_variables = ['A B']",
        "tool.harness.providers.x.key_variables[0]: not the name of an environment variable",
    ),
    "header": (
        ROW + "headers = {a = \"x\\ny\"}",
        "tool.harness.providers.x.headers.a: not the value of a header",
    ),
    "provider-name": ("[tool.harness.providers.'X y']\nbase_url = 'h'", 'tool.harness.providers."X y": a provider'),
    "bool": (
        ROW + "needs_key = 'no'", "tool.harness.providers.x.needs_key: should be true or false",
    ),
    "no-home": (
        'recordings = "~no such user/x"', "tool.harness.recordings: there is no home folder for '~no such user/x'",
    ),
    "price-name": ("[tool.harness.prices.m]\ninput = 1\noutput = 1", "tool.harness.prices.m: write provider/model"),
    "price-type": (
        "[tool.harness.prices.'a/m']\ninput = true\noutput = 1", 'tool.harness.prices."a/m".input: should be a number',
    ),
    "price-negative": (
        "[tool.harness.prices.'a/m']\ninput = -1.5\noutput = 1", 'tool.harness.prices."a/m".input: should be',
    ),
    "price-nan": (
        "[tool.harness.prices.'a/m']\ninput = nan\noutput = 1", 'tool.harness.prices."a/m".input: should be a finite'
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG)
def test_errors_name_file_and_key_in_one_line(text, message, tmp_path):
    with pytest.raises(ConfigError) as caught:
        configure(tmp_path, text if text.startswith("[") else f"[tool.harness]\n{text}")
    path = tmp_path / "pyproject.toml"
    assert str(caught.value).startswith(f"{path}: {message}")
    assert "\n" not in str(caught.value)
    assert caught.value.key.startswith("tool.harness")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"[tool.harness", "it is not valid TOML: "),
        (b"x = '\xff'", "it is not UTF-8"),
        (b"[tool]\nharness = 3", "tool.harness: should be a table"),
    ],
)
def test_files_that_cannot_be_read(data, message, tmp_path):
    (tmp_path / "pyproject.toml").write_bytes(data)
    with pytest.raises(ConfigError, match=re.escape(f"pyproject.toml: {message}")):
        load(tmp_path)


def test_a_file_of_other_tools_is_no_fault(tmp_path):
    assert configure(tmp_path, "[tool.ruff]\n") == Config()
    assert configure(tmp_path, "tool = 3\n") == Config()


def test_without_the_table_nothing_heavy_is_loaded(tmp_path):
    code = "import sys, pathlib, harness.config as c; c.load(pathlib.Path()); print('pydantic' in sys.modules)"
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env={"PYTHONPATH": str(root)}, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("example", EXAMPLES, ids=[str(n) for n in range(len(EXAMPLES))])
def test_each_example_of_the_guide_is_valid(example, tmp_path):
    assert configure(tmp_path, example) != Config()


def test_the_guide_shows_every_key():
    from harness.config_models import HarnessTable, PriceRow, ProviderRow, RedactRule

    shown = "".join(EXAMPLES)
    for table in (HarnessTable, PriceRow, ProviderRow, RedactRule):
        for key in table.model_fields:
            assert re.search(rf"^{key} = |^\[\[?tool\.harness\.{key}\b", shown, re.M), key
            assert f"`{key}`" in GUIDE or f"tool.harness.{key}" in GUIDE, key
    assert "unknown key; did you mean recordings" in GUIDE
    for name in BUILT_IN:
        assert f"| `{name}` |" in GUIDE
