"""Options that the commands with a local server share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli.saying import say
from harness.errors import HarnessError

if TYPE_CHECKING:
    from harness.config import Config
    from harness.replaying.matching import MatchRules
    from harness.serving.answer import ReplayServer
    from harness.serving.commands import Found
    from harness.serving.doors import Doors


def port_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--port`."""
    option = click.option(
        "--port",
        default=0,
        type=click.IntRange(0, 65535),
        help="Port on 127.0.0.1, for programs that have it in a file of their own.  [default: a free one]",
    )
    return option(function)


def normalizer_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--normalizer`."""
    option = click.option(
        "--normalizer",
        "normalizers",
        multiple=True,
        metavar="NAME",
        help="Let parts of prompts differ that change from run to run: dates, uuids, paths, ids, codex, or one that is "
        "installed.",
    )
    return option(function)


def replay_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """What decides how recorded calls answer: `--speed`, `--strict`, `--ignore`, `--normalizer`, `--match-host`."""
    for option in (
        click.option("--match-host", is_flag=True, help="Tell calls to different hosts apart."),
        normalizer_option,
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


def match_rules(config: Config, options: dict[str, Any], named: Sequence[str] = ()) -> MatchRules:
    """The rules that `replay_options` ask for, on top of the configured ones and the normalizers that recordings name.

    Raises `HarnessError`.
    """
    rules = config.match_rules(host=options["match_host"])
    normalizers = tuple(dict.fromkeys([*rules.normalizers, *named, *options["normalizers"]]))
    try:
        return replace(rules, ignore=(*rules.ignore, *options["ignore"]), normalizers=normalizers)
    except ValueError as error:
        raise HarnessError(str(error)) from None


def open_server(
    files: Sequence[str], options: dict[str, Any], *, repeat: bool = False, on_miss: Callable[[str], None] | None = None
) -> tuple[ReplayServer, Doors, Found]:
    """A server that answers from recordings as `replay_options` ask, its doors, its calls. Raises `HarnessError`."""
    from harness.config import current
    from harness.paths import find_recordings
    from harness.serving.commands import doors_for, need_extra, read_calls

    need_extra()
    from harness.serving.answer import ReplayServer

    config = current()
    doors = doors_for(config)
    calls, normalizers = read_calls(find_recordings(files), say)
    server = ReplayServer(
        [call for _, call in calls],
        doors,
        rules=match_rules(config, options, normalizers),
        redactor=config.redactor(),
        speed=options["speed"],
        repeat=repeat,
        on_miss=on_miss,
    )
    return server, doors, calls


def recording_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Where and how a proxy records: `-o`, `--force`, `--upstream`, `--normalizer`, `--task`, `--tag`, `--source`."""
    for option in (
        click.option("--source", default="live", show_default=True, help="What the header says was recorded."),
        click.option("--tag", "tags", multiple=True, help="A tag for the recording's header; may be repeated."),
        click.option(
            "--task", metavar="NAME", help="The task that it is a run of: suites and `harness diff` go by it."
        ),
        normalizer_option,
        click.option(
            "--upstream",
            "upstreams",
            multiple=True,
            metavar="[NAME=]URL",
            help="Server to forward to, for all or for one provider.  [default: the provider's own]",
        ),
        click.option("--force", is_flag=True, help="Replace an existing recording, once the new one is there."),
        click.option(
            "-o", "--out", type=click.Path(path_type=Path), help="The recording.  [default: a new file in recordings/]"
        ),
    ):
        function = option(function)
    return function


class Output:
    """The recording that `recording_options` ask for. `name` is what a new file is named after.

    One that is there already is kept until the new one is made. Raises `HarnessError`.
    """

    def __init__(self, config: Config, name: str, options: dict[str, Any]) -> None:
        from harness.clients.beside import Beside
        from harness.recorder.recorder import Recorder
        from harness.recorder.session import new_path

        self.path: Path = options["out"] or new_path(config.recordings, name)
        if self.path.is_dir():
            raise HarnessError(f"{self.path}: this is a folder: name a file in it, such as {self.path / 'a.jsonl'}")
        match_rules(config, {"match_host": False, "ignore": (), "normalizers": options["normalizers"]})
        self._beside = Beside(self.path) if options["force"] and self.path.exists() else None
        self.recorder = Recorder(
            self.path if self._beside is None else self._beside.part,
            source=options["source"],
            task=options["task"],
            tags=options["tags"],
            normalizers=(*config.normalizers, *options["normalizers"]),
            redactor=config.redactor(),
            force=self._beside is not None,
            warn=say,
        )

    def finish(self, status: str, calls: int) -> str:
        """Close the recording; a line that says where it is. One without calls is removed."""
        self.recorder.close(status)
        if calls == 0:
            self.recorder.path.unlink(missing_ok=True)
            return "nothing is recorded: no call came through the proxy"
        found = f"recorded {calls} call{'' if calls == 1 else 's'}"
        if self._beside is None:
            return f"{found} in {self.path}"
        if self.recorder.errors:
            return f"{found}, but not all of it: see {self._beside.part}; {self.path} is as it was"
        self._beside.swap_in()
        return f"{found} in {self.path}"
