"""`harness ask`: one turn of the built-in agent, recorded."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import secrets
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from agent.front_ends.human import human
from agent.front_ends.jsonl import jsonl
from agent.front_ends.summary import Summary
from agent.jsonio import NotJSON, loads_exact
from agent.providers.base import Target
from agent.providers.base_url import TargetError
from agent.providers.table import PROVIDERS, resolve
from harness.errors import HarnessError
from harness.recorder import Recorder
from harness.redaction import Redactor

MODES = ("plan", "fix", "build", "swe")
EXIT_FAILED = 1
EXIT_INTERRUPTED = 130


@click.command(name="ask")
@click.argument("words", nargs=-1, required=True)
@click.option("--model", "-m", required=True, envvar="HARNESS_MODEL", help="provider/model (or set HARNESS_MODEL).")
@click.option("--mode", type=click.Choice(MODES), default="plan", show_default=True, help="What the agent may do.")
@click.option("-b", "mode", flag_value="build", help="Short for --mode build.")
@click.option("--base-url", help="Another server that speaks the provider's format.")
@click.option("--system", help="System prompt; the built-in one says the folder, the date and the mode.")
@click.option("--max-tokens", type=click.IntRange(1), help="Output limit of each call.")
@click.option("--param", "params", multiple=True, metavar="KEY=VALUE", help="Further request parameter; JSON or text.")
@click.option(
    "--workspace",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="The agent's folder.",
)
@click.option("--json", "as_json", is_flag=True, help="Loop events to stdout, one JSON object a line.")
@click.option("-q", "--quiet", is_flag=True, help="Only the answer and errors.")
@click.option("--out", type=click.Path(path_type=Path), help="The recording [default: a new file in recordings/].")
@click.option("--force", is_flag=True, help="Overwrite an existing --out.")
@click.option("--no-record", is_flag=True, help="Record nothing.")
@click.option("--tag", "tags", multiple=True, help="A tag for the recording's header; may be repeated.")
@click.option("--source", default="live", show_default=True, help="What the header says was recorded.")
@click.pass_context
def command(ctx: click.Context, /, words: tuple[str, ...], **options: Any) -> None:
    """Run one turn of the built-in agent; the answer goes to stdout as it arrives, all else to stderr.

    WORDS are the prompt, `-` reads it from standard input. The session is recorded under recordings/.
    Exit status: 1 after an error, 130 after Ctrl-C.

    \b
    harness ask --model anthropic/claude-haiku-4-5 "What does this folder hold?"
    harness ask -m ollama/qwen3 -b --workspace app "Make the tests pass" --out fix.jsonl
    """
    prompt = sys.stdin.read() if words == ("-",) else " ".join(words)
    if not prompt.strip():
        raise click.UsageError("the prompt is empty")
    try:
        target, model = resolve(options["model"], base_url=options["base_url"], environ=os.environ)
    except TargetError as error:
        raise HarnessError(str(error)) from None
    params = _params(options["params"])
    if options["max_tokens"] is not None:
        params["max_tokens"] = options["max_tokens"]
    recorder = None
    if not options["no_record"]:
        recorder = Recorder(
            options["out"] or _default_path(options["model"]),
            source=options["source"],
            tags=options["tags"],
            redactor=Redactor(_keys(target)),
            force=options["force"],
            warn=lambda line: click.echo(f"harness: {line}", err=True),
        )
    ctx.exit(_run(prompt, target, model, params, recorder, options))


def _run(
    prompt: str, target: Target, model: str, params: dict[str, Any], recorder: Recorder | None, options: dict[str, Any]
) -> int:
    status = "cancelled"
    try:
        summary = asyncio.run(_turn(prompt, target, model, params, recorder, options))
        status = "error" if summary.failed else "ok"
    except (KeyboardInterrupt, asyncio.CancelledError):
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of stdout has gone; what Python still holds for it must not raise at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_FAILED
    finally:
        if recorder is not None:
            recorder.close(status)
            if status == "cancelled":
                click.echo(f"harness: recorded in {recorder.path}", err=True)
    if not options["quiet"]:
        click.echo(_closing_line(summary, recorder), err=True)
    return EXIT_FAILED if summary.failed or (recorder is not None and recorder.errors) else 0


async def _turn(
    prompt: str, target: Target, model: str, params: dict[str, Any], recorder: Recorder | None, options: dict[str, Any]
) -> Summary:
    from agent.client import Client
    from agent.loop import run_turn
    from agent.loop_types import ExecuteTool, Limits
    from agent.messages import user
    from agent.network import network_transport
    from agent.pricing import price
    from agent.prompt import system_prompt
    from agent.tools import Toolbox
    from agent.tools.registry import modes_of_tools

    mode = options["mode"].upper()
    toolbox = Toolbox(options["workspace"], mode)
    system = options["system"]
    if system is None:
        system = system_prompt(mode, toolbox.root, datetime.now().astimezone().date())
    history = [user(prompt)]
    shared: dict[str, Any] = {
        "mode": mode,
        "provider": target.provider,
        "model": model,
        "system": system,
        "tools": toolbox.specs(),
        "params": params,
        "limits": Limits.for_mode(mode),
    }
    transport: Any = network_transport(target.base_url)
    execute: ExecuteTool = toolbox.execute
    ids = None
    tap = None
    if recorder is not None:
        transport = recorder.transport(transport)
        tap = recorder.turn(history, base_url=target.base_url, **shared)
        execute, ids = tap.tools(toolbox.execute), recorder.next_call
    _cancel_on_sigterm()
    async with Client(target, transport=transport) as client:
        run: Any = run_turn(
            history,
            create_stream=client.stream,
            execute_tool=execute,
            price=price,
            ids=ids,
            wire=target.wire,
            tool_modes=modes_of_tools(),
            **shared,
        )
        if tap is not None:
            run = tap.events(run)
        if options["as_json"]:
            return await jsonl(run, sys.stdout)
        colour = sys.stderr.isatty() and "NO_COLOR" not in os.environ
        return await human(run, sys.stdout, sys.stderr, quiet=options["quiet"], colour=colour)


def _cancel_on_sigterm() -> None:
    """Let a polite kill close the turn and the recording as Ctrl-C does."""
    task = asyncio.current_task()
    assert task is not None
    with contextlib.suppress(NotImplementedError):
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)


def _params(pairs: tuple[str, ...]) -> dict[str, Any]:
    """`KEY=VALUE` pairs; a value that is JSON counts as JSON."""
    params: dict[str, Any] = {}
    for pair in pairs:
        name, mark, value = pair.partition("=")
        if not mark or not name:
            raise click.UsageError(f"--param {pair!r}: write KEY=VALUE, for example temperature=0.2")
        try:
            params[name] = loads_exact(value.encode())
        except NotJSON:
            params[name] = value
    return params


def _keys(target: Target) -> dict[str, str]:
    """The values of all key variables that are set: none of them may reach the file."""
    names = {variable for row in PROVIDERS.values() for variable in row.key_variables}
    found = {name: os.environ[name] for name in names if os.environ.get(name)}
    if target.key is not None and target.key_variable is not None:
        found[target.key_variable] = target.key
    return found


def _default_path(model: str) -> Path:
    """A new file under recordings/, named after the time and the model."""
    slug = re.sub(r"[^A-Za-z0-9.]+", "-", model).strip("-.")[:60]
    return Path("recordings") / f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{slug}-{secrets.token_hex(2)}.jsonl"


def _closing_line(summary: Summary, recorder: Recorder | None) -> str:
    finish = summary.finish or {}
    usage = finish.get("usage") or {}
    counts = [
        f"{usage[name]:,} {label}" if usage.get(name) is not None else f"? {label}"
        for name, label in (("input_tokens", "tokens in"), ("output_tokens", "out"))
    ]
    cost = finish.get("cost_usd")
    parts = [", ".join(counts), "unpriced" if cost is None else f"${cost}", str(finish.get("stop_reason"))]
    if recorder is not None:
        parts.append(f"recorded in {recorder.path}")
    return " · ".join(parts)
