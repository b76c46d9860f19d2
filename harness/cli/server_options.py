"""Options that the commands with a local server share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from harness.config import Config
from harness.errors import HarnessError
from harness.matching import MatchRules
from harness.recorder import Recorder
from harness.session import new_path


def port_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--port`."""
    option = click.option(
        "--port",
        default=0,
        type=click.IntRange(0, 65535),
        help="Port on 127.0.0.1, for programs that have it in a file of their own.  [default: a free one]",
    )
    return option(function)


def replay_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """What decides how recorded calls answer: `--speed`, `--strict`, `--ignore`, `--match-host`."""
    for option in (
        click.option("--match-host", is_flag=True, help="Tell calls to different hosts apart."),
        click.option("--ignore", multiple=True, metavar="FIELD", help="A top-level body field that may differ."),
        click.option("--strict", is_flag=True, help="Exit with 1 also where a recorded call was not asked for."),
        click.option(
            "--speed",
            type=click.FloatRange(min=0, min_open=True),
            help="Keep the recorded timing, this many times as fast.  [default: no waiting]",
        ),
    ):
        function = option(function)
    return function


def match_rules(config: Config, options: dict[str, Any]) -> MatchRules:
    """The rules that `replay_options` ask for, on top of the configured ones."""
    rules = config.match_rules(host=options["match_host"])
    return replace(rules, ignore=(*rules.ignore, *options["ignore"]))


def recording_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Where and how a proxy records: `-o`, `--force`, `--upstream`, `--tag`, `--source`."""
    for option in (
        click.option("--source", default="live", show_default=True, help="What the header says was recorded."),
        click.option("--tag", "tags", multiple=True, help="A tag for the recording's header; may be repeated."),
        click.option(
            "--upstream",
            "upstreams",
            multiple=True,
            metavar="[NAME=]URL",
            help="Server to forward to, for all or for one provider.  [default: the provider's own]",
        ),
        click.option("--force", is_flag=True, help="Overwrite an existing recording."),
        click.option(
            "-o", "--out", type=click.Path(path_type=Path), help="The recording.  [default: a new file in recordings/]"
        ),
    ):
        function = option(function)
    return function


def say(line: str) -> None:
    """A line for people, on stderr."""
    click.echo(f"harness: {line}", err=True)


def open_recorder(config: Config, name: str, options: dict[str, Any]) -> Recorder:
    """The recorder that `recording_options` ask for. Raises `HarnessError`."""
    out: Path = options["out"] or new_path(config.recordings, name)
    if out.is_dir():
        raise HarnessError(f"{out}: this is a folder: name a file in it, such as {out / 'session.jsonl'}")
    return Recorder(
        out,
        source=options["source"],
        tags=options["tags"],
        redactor=config.redactor(),
        force=options["force"],
        warn=say,
    )


def recorded_line(recorder: Recorder, calls: int) -> str:
    """What was recorded, and where."""
    return f"recorded {calls} call{'' if calls == 1 else 's'} in {recorder.path}"


def say_all(lines: Sequence[str]) -> None:
    for line in lines:
        say(line)
