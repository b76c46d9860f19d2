"""The tables of a `*.suite.toml` as models. The tables of checks are models of their own (`harness.checks`)."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from harness.checks.fields import json_value


def _patterns(value: object) -> tuple[str, ...]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) and text for text in texts):
        raise ValueError("should be a path, a pattern or a list of them")
    return tuple(texts)


def _mode(value: object) -> object:
    from agent.tools.registry import MODES  # the tools bring asyncio with them

    if not isinstance(value, str) or value.upper() not in MODES:
        raise ValueError(f"should be one of {', '.join(MODES)}")
    return value.upper()


def _tables(header: str) -> BeforeValidator:
    """Refuses what is no list of tables; `header`: how one begins."""

    def check(value: object) -> object:
        if not isinstance(value, list):
            raise ValueError(f"should be tables: write {header}")
        return value

    return BeforeValidator(check)


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("should not be empty")
    return text


Text: TypeAlias = Annotated[str, AfterValidator(_not_blank)]
Checks: TypeAlias = list[dict[str, Any]]


class Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class CaseTable(Table):
    """`[[case]]`."""

    name: Text | None = None
    task: Text | None = None
    recording: Annotated[tuple[str, ...], BeforeValidator(_patterns)] = ()
    prompt: Text | None = None
    workspace: Text | None = None
    mode: Annotated[str, BeforeValidator(_mode)] = "PLAN"
    system: str | None = None
    params: Annotated[dict[str, Any], AfterValidator(json_value)] = {}
    max_iterations: Annotated[int, Field(ge=1)] | None = None
    tools: bool = True
    solution: Text | None = None
    answer: str | None = None
    check: Annotated[Checks, _tables("[[case.check]]")] = []


class SuiteTable(Table):
    """The whole file."""

    name: Text | None = None
    check: Annotated[Checks, _tables("[[check]]")] = []
    case: Annotated[list[CaseTable], _tables("[[case]]")] = []
