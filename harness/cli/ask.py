"""`harness ask`: one turn of the built-in agent, recorded."""

from __future__ import annotations

import asyncio
import io
import sys
from pathlib import Path
from typing import Any

import click

from agent.front_ends.summary import Summary
from agent.jsonio import NotJSON, loads_exact
from agent.providers.base import Target
from harness.cli.ask_continue import MODES, check_file_options, continued_options
from harness.cli.ask_turn import Asked, run
from harness.cli.saying import say
from harness.cli.streams import drop_stdout
from harness.config import Config, current
from harness.errors import HarnessError, RecordingError
from harness.recorder.recorder import Recorder
from harness.recorder.session import find_target, network, new_path, redactor

EXIT_FAILED = 1
EXIT_INTERRUPTED = 130


@click.command(name="ask")
@click.argument("words", nargs=-1)
@click.option("--model", "-m", envvar="HARNESS_MODEL", help="provider/model (or HARNESS_MODEL, or the configuration).")
@click.option("--mode", type=click.Choice(MODES), help="What the agent may do.  [default: plan]")
@click.option("-b", "mode", flag_value="build", help="Short for --mode build.")
@click.option("--no-tools", is_flag=True, help="Offer no tools: some models refuse requests that do.")
@click.option("--base-url", help="Another server that speaks the provider's format.")
@click.option("--system", help="System prompt; the built-in one says the folder, the date and the mode.")
@click.option("--max-tokens", type=click.IntRange(1), help="Output limit of each call.")
@click.option("--param", "params", multiple=True, metavar="KEY=VALUE", help="Further request parameter; JSON or text.")
@click.option(
    "--workspace",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="The agent's folder.  [default: the current one]",
)
@click.option("--json", "as_json", is_flag=True, help="Loop events to stdout, one JSON object a line.")
@click.option("-q", "--quiet", is_flag=True, help="Only the answer and errors.")
@click.option("--out", type=click.Path(path_type=Path), help="The recording.  [default: a new file in recordings/]")
@click.option("--force", is_flag=True, help="Overwrite an existing --out.")
@click.option(
    "--continue",
    "continued",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Go on with the last turn of this recording: its history, model, mode, system prompt and parameters.",
)
@click.option("--append", type=click.Path(path_type=Path), metavar="FILE", help="A new conversation in this recording.")
@click.option("--fsync", is_flag=True, help="Sync the recording to the disk after each call, against power cuts.")
@click.option("--no-record", is_flag=True, help="Record nothing.")
@click.option("--task", metavar="NAME", help="The task that it is a run of: suites and `harness diff` go by it.")
@click.option("--tag", "tags", multiple=True, help="A tag for the recording's header; may be repeated.")
@click.option("--source", help="What the header says was recorded.  [default: live]")
@click.pass_context
def command(ctx: click.Context, /, words: tuple[str, ...], **options: Any) -> None:
    """Run one turn of the built-in agent; the answer goes to stdout as it arrives, all else to stderr.

    WORDS are the prompt, `-` reads it from standard input. The session is recorded under recordings/.
    Exit status: 0; 1 after an error; 2 where nothing could be sent; 130 when interrupted (Ctrl-C).

    \b
    harness ask --model anthropic/claude-haiku-4-5 "What does this folder hold?"
    harness ask -m ollama/qwen3 -b --workspace app "Make the tests pass" --out fix.jsonl
    harness ask -m llamacpp/any --base-url http://127.0.0.1:8080 - < question.txt
    harness ask --continue fix.jsonl "Now add a test for it"
    """
    check_file_options(options)
    config = current()
    if options["continued"]:
        options = continued_options(ctx, options, config)
    asked, target = _asked(words, config, options)
    transport = network(target)
    recorder = None
    unrecorded = False
    if not options["no_record"]:
        try:
            recorder = _recorder(asked, target, options)
        except RecordingError as error:
            if options["out"] or options["append"] or options["continued"]:
                raise
            unrecorded = True
            say(f"nothing is recorded: {error}")
    ctx.exit(_run(asked, target, transport, recorder) or (EXIT_FAILED if unrecorded else 0))


def _asked(words: tuple[str, ...], config: Config, options: dict[str, Any]) -> tuple[Asked, Target]:
    """What the command line asks for. Raises `UsageError` or `HarnessError`."""
    name = options["model"] or config.model
    if not name:
        raise click.UsageError("no model: name one, for example --model openai/gpt-4.1-mini, or set HARNESS_MODEL")
    prompt = _prompt(words)
    target, model = find_target(name, options["base_url"], config)
    params = {**options.get("given_params", {}), **_params(options["params"])}
    if options["max_tokens"] is not None:
        params["max_tokens"] = options["max_tokens"]
    return Asked(
        config=config,
        prompt=prompt,
        model=model,
        history=options.get("history", ()),
        mode=(options["mode"] or "plan").upper(),
        params=params,
        workspace=options["workspace"],
        system=options["system"],
        tools=not options["no_tools"],
        as_json=options["as_json"],
        quiet=options["quiet"],
    ), target


def _prompt(words: tuple[str, ...]) -> str:
    """The words, or what stands on standard input. An ill-formed text would not survive the way to the provider."""
    try:
        if words == ("-",):
            prompt = sys.stdin.buffer.read().decode("utf-8-sig")
        else:
            prompt = " ".join(words)
            prompt.encode()
    except UnicodeError:
        raise click.UsageError("the prompt is not UTF-8 text") from None
    if not prompt.strip():
        raise click.UsageError("the prompt is empty: write it as words, or `-` to read it from standard input")
    return prompt


def _recorder(asked: Asked, target: Target, options: dict[str, Any]) -> Recorder:
    old = options["append"] or (None if options["out"] else options["continued"])
    out: Path = old or options["out"] or new_path(asked.config.recordings, f"{target.provider}/{asked.model}")
    if out.is_dir():
        raise HarnessError(f"{out}: this is a folder: name a file in it, such as {out / 'session.jsonl'}")
    return Recorder(
        out,
        source=options["source"] or "live",
        task=options["task"],
        tags=options["tags"],
        redactor=redactor(asked.config, target),
        force=options["force"],
        append=old is not None,
        fsync=options["fsync"],
        warn=say,
    )


def _run(asked: Asked, target: Target, transport: Any, recorder: Recorder | None) -> int:
    """Run the turn and close the recording, however it ends; the exit status."""
    _prepare_stdout(asked)
    status = "error"
    try:
        summary = asyncio.run(run(asked, target, transport, recorder, sys.stdout, sys.stderr))
        status = "error" if summary.failed else "ok"
    except (KeyboardInterrupt, asyncio.CancelledError):
        status = "cancelled"
    except BrokenPipeError:
        status = "cancelled"
        drop_stdout()
        return EXIT_FAILED
    finally:
        if recorder is not None:
            recorder.close(status)
    place = [] if recorder is None else [f"recorded in {recorder.path}"]
    if status == "cancelled":
        click.echo(" · ".join(["cancelled", *place]), err=True)
        return EXIT_INTERRUPTED
    if not asked.quiet:
        click.echo(" · ".join([*_closing_words(summary), *place]), err=True)
    return EXIT_FAILED if summary.failed or (recorder is not None and recorder.errors) else 0


def _prepare_stdout(asked: Asked) -> None:
    """JSON is UTF-8; for people, a character that the terminal's encoding lacks must not end the answer."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8" if asked.as_json else None, errors="replace")


def _params(pairs: tuple[str, ...]) -> dict[str, Any]:
    """`KEY=VALUE` pairs; a value that is JSON counts as JSON."""
    params: dict[str, Any] = {}
    for pair in pairs:
        name, mark, value = pair.partition("=")
        if not mark or not name:
            raise click.UsageError(f"--param {pair!r}: write KEY=VALUE, for example temperature=0.2")
        try:
            params[name] = loads_exact(value.encode("utf-8", "replace"))
        except NotJSON:
            params[name] = value
    return params


def _closing_words(summary: Summary) -> list[str]:
    """Tokens, cost and stop reason of a turn that came to its end."""
    finish = summary.finish or {}
    usage = finish.get("usage") or {}
    counts = [
        f"{usage[name]:,} {label}"
        for name, label in (("input_tokens", "in"), ("output_tokens", "out"))
        if usage.get(name) is not None
    ]
    cost = finish.get("cost_usd")
    words = [f"tokens: {', '.join(counts) or 'not told'}", "unpriced" if cost is None else f"${cost}"]
    return [*words, str(finish.get("stop_reason"))]
