"""The shape of the tree: import directions, no circles, purity, file length, tests beside code, documented commands."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted([*ROOT.glob("agent/**/*.py"), *ROOT.glob("harness/**/*.py")])
NAMES = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in SOURCES}

IMPURE = {"httpx", "httpx2", "asyncio", "time", "random", "os", "socket", "threading", "subprocess", "secrets", "uuid"}
PURE = [
    "agent.sse", "agent.events", "agent.messages", "agent.jsonio", "agent.failures", "agent.response",
    "agent.response_reader", "agent.trim", "agent.think_tags", "agent.retry", "agent.providers.base",
    "agent.providers.openai_chat", "agent.providers.openai_responses", "agent.providers.anthropic",
    "agent.providers.gemini", "agent.refusals",
    *(f"harness.recording.{name}" for name in ("records", "bodies", "headers")),
    *(f"harness.redaction.{name}" for name in (
        "redactor", "key_shapes", "known_values", "in_base64", "user_rules", "rules_in_base64", "open_secrets",
        "placeholders", "joined_text", "frame_texts", "frame_likeness", "cut_json", "held_frames", "held_body",
    )),
    "harness.differences", "harness.replaying.matching",
    *(f"harness.costs.{name}" for name in ("rows", "priced_by", "billing", "calls", "sums", "figures", "report")),
    *(f"harness.statistics.{name}" for name in (
        "intervals", "repeats", "pairs", "holm", "draws", "bootstrap", "sign_flip", "sample_size", "outcomes", "values",
    )),
    *(f"harness.diff.{name}" for name in (
        "align", "words", "steps", "likeness", "compare", "figures", "settings", "said", "data", "evidence", "summary",
        "run_report", "task_data", "task_report",
    )),
    *(f"harness.checks.{name}" for name in ("values", "patterns", "pairing")),
    *(f"harness.suites.{name}" for name in (
        "case", "toml", "results", "unexercised", "junit", "report", "golden_report", "proof_report",
    )),
    *(f"harness.trials.{name}" for name in ("spending", "outcome", "report")),
]  # fmt: skip
ADAPTERS = ("openai_chat", "openai_responses", "anthropic", "gemini")
HEAVY = {"httpx", "httpx2", "pydantic", "genai_prices", "openai", "anthropic", "mcp", "starlette", "uvicorn", "jinja2"}


def imports(path: Path, *, only_at_import: bool, only_at_run_time: bool = False) -> set[str]:
    """Modules a file imports; with `only_at_import` neither inside functions nor under TYPE_CHECKING, with
    `only_at_run_time` not under TYPE_CHECKING."""
    found: set[str] = set()

    def visit(node: ast.AST) -> None:
        if only_at_import and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return
        if (
            (only_at_import or only_at_run_time)
            and isinstance(node, ast.If)
            and "TYPE_CHECKING" in ast.unparse(node.test)
        ):
            return
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                found.add(name if name in NAMES else node.module or "")
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(ast.parse(path.read_text("utf-8")))
    return found


GRAPH = {name: {i for i in imports(path, only_at_import=True) if i in NAMES} for name, path in NAMES.items()}


def reached(name: str) -> set[str]:
    """All project modules that importing `name` loads, its packages' `__init__` included."""
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        current = waiting.pop()
        if current in seen or current not in NAMES:
            continue
        seen.add(current)
        waiting += GRAPH[current]
        parts = current.split(".")
        waiting += [".".join(parts[:n]) for n in range(1, len(parts))]
    return seen


def test_agent_never_imports_harness():
    for name, path in NAMES.items():
        if name.split(".")[0] == "agent":
            assert not [i for i in imports(path, only_at_import=False) if i.split(".")[0] == "harness"], name


def test_adapters_never_import_one_another():
    for adapter in ADAPTERS:
        others = tuple(f"agent.providers.{other}" for other in ADAPTERS if other != adapter)
        for name in NAMES:
            if name.startswith(f"agent.providers.{adapter}"):
                assert not [i for i in imports(NAMES[name], only_at_import=False) if i.startswith(others)], name


def assert_no_circle(graph):
    state: dict[str, int] = {}

    def walk(name: str, trail: list[str]) -> None:
        if state.get(name) == 2:
            return
        assert state.get(name) != 1, " -> ".join([*trail, name])
        state[name] = 1
        for target in graph.get(name, ()):
            walk(target, [*trail, name])
        state[name] = 2

    for name in graph:
        walk(name, [])


def test_no_import_circle():
    assert_no_circle(GRAPH)


def test_packages_are_layers():
    """No package of the harness leads back to itself, lazily neither. `scrub` derives events anew, from above."""
    packages: dict[str, set[str]] = {}
    for name, path in NAMES.items():
        if name.count(".") == 2 and name.startswith("harness.") and name != "harness.redaction.scrub":
            found = imports(path, only_at_import=False, only_at_run_time=True)
            inside = {
                i.rpartition(".")[0] for i in found if i in NAMES and i.count(".") == 2 and i.startswith("harness.")
            }
            package = name.rpartition(".")[0]
            packages[package] = packages.get(package, set()) | (inside - {package})
    assert_no_circle(packages)


@pytest.mark.parametrize("name", PURE)
def test_pure_modules_do_no_io(name):
    for module in reached(name):
        impure = {i.split(".")[0] for i in imports(NAMES[module], only_at_import=False)} & IMPURE
        assert not impure, f"{name} reaches {module}, which imports {impure}"


def test_help_loads_nothing_heavy():
    for module in reached("harness.cli"):
        heavy = {i.split(".")[0] for i in imports(NAMES[module], only_at_import=True)} & HEAVY
        assert not heavy, f"harness.cli reaches {module}, which imports {heavy}"


@pytest.mark.parametrize("path", [*SOURCES, *ROOT.glob("tests/**/*.py")], ids=lambda p: str(p.relative_to(ROOT)))
def test_files_and_functions_are_short(path):
    text = path.read_text("utf-8")
    assert text.count("\n") <= 400
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and path in SOURCES:
            assert node.body
            length = (node.end_lineno or 0) - node.body[0].lineno + 1
            assert length <= 60, f"{node.name} has {length} lines"


def test_each_source_file_has_its_tests():
    missing = []
    for path in SOURCES:
        if path.name == "__init__.py":
            continue
        folder = ROOT / "tests" / path.relative_to(ROOT).parent
        stem = path.stem
        if not list(folder.glob(f"test_{stem}*.py")) and not any(
            stem.startswith(test.stem.removeprefix("test_") + "_") for test in folder.glob("test_*.py")
        ):
            missing.append(str(path.relative_to(ROOT)))
    assert not missing


def test_no_module_bears_the_name_of_a_public_function():
    import harness

    assert not {name for name in harness.__all__ if f"harness.{name}" in NAMES}


def test_each_command_is_documented_and_shows_an_example():
    from harness.cli import COMMANDS, main

    readme = (ROOT / "README.md").read_text("utf-8")
    for name in COMMANDS:
        command = main.get_command(None, name)
        assert command is not None
        assert f"harness {name}" in readme, f"README does not mention harness {name}"
        assert re.search(rf"^ *harness {name}|\| harness {name}", command.help or "", re.M), (
            f"{name}: no example in --help"
        )


def test_exported_names():
    import agent
    import harness

    for package in (agent, harness):
        for name in package.__all__:
            assert getattr(package, name) is not None
        assert sorted(package.__all__) == list(package.__all__)


def test_both_packages_say_that_they_are_typed():
    assert [(ROOT / name / "py.typed").exists() for name in ("agent", "harness")] == [True, True]
