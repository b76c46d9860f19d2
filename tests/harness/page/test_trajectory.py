"""The viewer over every committed recording and fixture: well formed, closed, and no less than `harness show` says."""

from __future__ import annotations

import asyncio
import json
import random
import re
from pathlib import Path

import httpx
import pytest

import harness
from harness.page.shell import page
from harness.page.trajectory import trajectory
from harness.page.trajectory_sheet import UNLIMITED, Limits
from harness.report.account import account
from harness.report.page import Style
from tests.harness.page.markup import HOSTILE, assert_sound, parsed
from tests.harness.report.session import session, write
from tests.harness.sessions import Turn, chat, record
from tests.harness.transports import SSE, Reply, Scripted, call, recorder

ROOT = Path(__file__).resolve().parents[3]
RECORDINGS = sorted((ROOT / "recordings").glob("*.jsonl"))
URLS = {
    "openai-chat": "https://api.test/v1/chat/completions",
    "openai-responses": "https://api.test/v1/responses",
    "anthropic": "https://api.test/v1/messages",
    "gemini": "https://api.test/v1beta/models/m:streamGenerateContent",
}


def view(recording, prefix="t", **options):
    """The fragment, parsed; as part of a page it is sound."""
    fragment = trajectory(recording, prefix, **options)
    assert_sound(page("x", [fragment], "0", parts=("viewer",)))
    return parsed(fragment)


def places(root):
    return {one.attributes["id"]: one for one in root.walk() if "id" in one.attributes}


def place(root, mark):
    return places(root)[mark]


def assert_told(root, recording):
    """All that `harness show --full` prints of it stands in the view."""
    text = root.whole
    for line in account(recording, Style(full=True)):
        words = " ".join(line.split())
        if words == "totals":
            continue
        name, _, value = line.strip().partition("  ")
        value = " ".join((value or name).split())
        value = value.removeprefix("last input ")
        if name == "tool call":
            value = value.partition(" ")[0]
        for part in value.split(": ")[-1].split(" · "):
            assert part.removesuffix("; --frames shows the bytes") in text, line


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_recordings(path):
    recording = harness.open(path)
    root = view(recording, "r7")
    ids = {one.attributes["id"] for one in root.walk() if "id" in one.attributes}
    assert all(one == "r7" or one.startswith("r7-") for one in ids)
    assert {f"r7-call-{one.number}" for one in recording.calls} <= ids
    assert {f"r7-turn-{turn.number}" for turn in recording.turns} <= ids
    assert_told(root, recording)
    for one in recording.calls:
        rows = [row for row in place(root, f"r7-call-{one.number}").all("tr") if len(row.all("td")) == 6]
        raws = [re.sub(r"\\r(?=⏎|$)", "\r", row.all("pre")[0].text.removeprefix("\n")) for row in rows]
        assert "".join(raws).replace("⏎\n", "\n").encode() == one.body()


@pytest.mark.parametrize("wire", URLS)
def test_fixtures(tmp_path, wire):
    """As calls of a program that has no turns, each with all of its frames and events."""
    paths = sorted(path for path in (ROOT / "fixtures").glob(f"{wire}/*") if path.suffix in (".sse", ".body"))
    paths += sorted((ROOT / "fixtures" / "http-errors").glob("*.body"))

    async def session() -> None:
        with recorder(tmp_path / "x.jsonl") as made:
            for path in paths:
                kind = SSE if path.suffix == ".sse" else "application/json"
                data = path.read_bytes()
                reply = Reply([data[:100], data[100:]], 400 if path.parent.name == "http-errors" else 200, kind)
                await call(httpx, made.transport(Scripted([reply])), is_async=True, url=URLS[wire])

    asyncio.run(session())
    recording = harness.open(tmp_path / "x.jsonl")
    root = view(recording, limits=UNLIMITED)
    assert len(recording.calls) == len(paths)
    frames = places(root)
    for one in recording.calls:
        shown = frames[f"t-call-{one.number}-frames"].whole if one.body() or one.event_records else ""
        for event in one.events:
            assert event["type"] in shown
    assert_told(root, recording)


def test_a_turn_and_its_parts(tmp_path):
    recording = harness.open(write(tmp_path / "x.jsonl", session()))
    root = view(recording)
    turn = place(root, "t-turn-0")
    assert [one.whole for one in turn.all("div", class_="tj-input")] == ["input what is it?"]
    assert "temperature" in turn.whole
    second = place(root, "t-call-1")
    assert [one.attributes["href"] for one in second.all("a") if "retry" not in one.whole][:2] == [
        "#t-call-1", "#t-call-0",
    ]  # fmt: skip
    tools = [place(root, f"t-call-1-tool-{position}") for position in (0, 1)]
    assert "read ok in 0.250 s" in tools[0].whole
    assert "read failed in 0.250 s no such file" in tools[1].whole
    assert [one.whole for one in tools[0].all("pre", class_="tj-json")] == ['{ "path": "a" }']
    assert second.all("details")[0].whole.startswith("let me think")
    assert [one.whole for one in root.all("div", class_="tj-notice")] == ["notice retry 1 in 2.5 s: slow down"]
    assert "cost $0.000123" in root.all("div", class_="tj-finish")[0].whole


def test_what_has_no_price_is_unpriced(tmp_path):
    root = view(harness.open(write(tmp_path / "x.jsonl", session(None))))
    assert "cost, as recorded unpriced" in root.whole
    assert "$0" not in root.whole


@pytest.mark.parametrize("text", [*HOSTILE, "\ud800", "[redacted:key:1] and <b>"])
def test_hostile_texts_everywhere(tmp_path, text):
    """In every string of a recording that is no keyword of the format."""
    kept = ("kind", "event", "type", "end", "started_at", "format", "id", "wire", "method", "sha256", "b64", "raw_b64")

    def spoil(value, name=""):
        if isinstance(value, dict):
            return {key: spoil(one, key) for key, one in value.items()}
        if isinstance(value, list):
            return [spoil(one, name) for one in value]
        return value if name in kept or not isinstance(value, str) else value + text

    records = [spoil(one) if one["kind"] not in ("header", "loop", "end") else one for one in session()]
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(one, separators=(",", ":")) + "\n" for one in records), "utf-8")
    recording = harness.open(path)
    assert len(recording.calls) == 4
    assert_sound(page("x", [trajectory(recording)], "0", parts=("viewer",)))


def test_placeholders_are_marked(tmp_path):
    records = session()
    records[1]["input"] = "the key is [redacted:openai:1], they say"
    root = view(harness.open(write(tmp_path / "x.jsonl", records)))
    assert [one.whole for one in root.all("mark")] == ["[redacted:openai:1]"]


def test_a_text_of_ten_megabytes_is_cut_and_that_is_said(tmp_path):
    records = session()
    records[1]["input"] = "x<&" * 3_500_000
    path = write(tmp_path / "x.jsonl", records)
    fragment = trajectory(harness.open(path))
    assert len(fragment) < 1_000_000
    shown = parsed(fragment)
    assert (
        f"10,500,000 characters, of which the first 100,000 are shown; all of them: harness show {path} --full"
    ) in shown.whole
    assert "characters, of which" not in trajectory(harness.open(path), limits=UNLIMITED)


def test_frames_that_do_not_fit_are_counted(tmp_path):
    path = record(tmp_path / "x.jsonl", Turn([chat(*[f"word {number} " for number in range(400)])]))
    recording = harness.open(path)
    root = view(recording, limits=Limits(raw=60_000))
    frames = place(root, "t-call-0-frames")
    rows = [row for row in frames.all("tr") if len(row.all("td")) == 6]
    numbers = [int(row.all("td")[0].text) for row in rows]
    assert numbers[0] == 0
    assert numbers[-1] == len(recording.calls[0].frames) - 1
    left_out = len(recording.calls[0].frames) - len(numbers)
    assert left_out > 100
    assert f"{left_out} rows of 402 left out of this page; all of them: harness show {path} --call 0" in frames.whole
    assert len(view(recording).all("tr")) > 402


def test_the_limits_hold_for_many_calls(tmp_path):
    words = [f"word {number} " * 20 for number in range(100)]
    path = record(tmp_path / "x.jsonl", *(Turn([chat(*words)]) for _ in range(8)))
    size = len(trajectory(harness.open(path), limits=Limits(text=1_000, texts=20_000, raw=100_000)))
    assert size < 300_000 < len(trajectory(harness.open(path)))


def test_a_body_is_linear_in_the_session_and_leads_to_what_was_sent_before(tmp_path):
    turns = [Turn([chat(f"answer {number} " * 30)], input=f"question {number} " * 30) for number in range(3)]
    recording = harness.open(record(tmp_path / "x.jsonl", *turns))
    bodies = [one.request.body["messages"] for one in recording.calls]
    assert bodies[0][0] == bodies[2][0]
    root = view(recording)
    refs = place(root, "t-call-2-request").all("p", class_="tj-ref")
    assert refs
    ids = {one.attributes["id"] for one in root.walk() if "id" in one.attributes}
    assert {one.attributes["data-from"] for one in refs} <= ids


def test_a_killed_recording(tmp_path):
    lines = [json.dumps(one, separators=(",", ":")) for one in session()]
    torn = "\n".join(lines[:12]) + "\n{not a record}\n" + lines[12] + "\n" + lines[13][:20]
    (tmp_path / "x.jsonl").write_text(torn)
    recording = harness.open(tmp_path / "x.jsonl")
    root = view(recording)
    (faults,) = root.all("details", class_="tj-faults")
    assert [one.whole for one in faults.all("li")] == [" ".join(str(one).split()) for one in recording.warnings]
    assert "not closed (its process died, or is writing still)" in root.whole
    assert "the recording stops inside this call" in root.whole
    assert_told(root, recording)


def test_a_call_whose_turn_is_lost_says_what_it_asked(tmp_path):
    records = [one for one in session() if one["kind"] not in ("turn", "tool_result", "loop")]
    root = view(harness.open(write(tmp_path / "x.jsonl", records)))
    assert [one.whole for one in place(root, "t-call-0").all("div", class_="tj-input")] == ["user question"]
    assert "1 message, all of it sent before, with call 1" in place(root, "t-call-2").whole


def test_an_open_call_goes_on_to_the_last_record(tmp_path):
    records = session()[:29]
    shown = place(view(harness.open(write(tmp_path / "x.jsonl", records))), "t")
    row = next(one for one in shown.all("a", class_="tj-row") if one.whole.startswith("call 2"))
    assert row.whole == "call 2 ? s"
    last = row.all("rect")[-1].attributes
    assert last["class"] == "open"
    assert float(last["x"][:-1]) + float(last["width"][:-1]) == pytest.approx(100, abs=0.01)


@pytest.mark.parametrize("number", ['"><script>alert(1)</script>', "\u202e", True, 2**70, 1.5, "x y"])
def test_calls_that_are_numbered_with_anything(tmp_path, number):
    records = [one | {"call": number} if one.get("call") == 2 else one for one in session()]
    records = [one | {"turn": number} if "turn" in one else one for one in records]
    root = view(harness.open(write(tmp_path / "x.jsonl", records)))
    assert len(root.all("article")) == 4


ANYTHING = [
    None, True, -1, 2**70, 1.5, "", '"><script>alert(1)</script>', "\x00\u202e", [], [[]], {}, {"x": [1]}, [1, 2, 3],
    [["a", 1]], {"type": "text"},
]  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_values_of_any_type_anywhere(tmp_path, seed):
    """What is read at all is shown, soundly."""
    draw = random.Random(seed)

    def spoil(value):
        if draw.random() < 0.02:
            return draw.choice(ANYTHING)
        if isinstance(value, dict):
            return {name: one if name == "kind" else spoil(one) for name, one in value.items() if draw.random() > 0.005}
        return [spoil(one) for one in value] if isinstance(value, list) else value

    header, *records = map(json.loads, draw.choice(RECORDINGS).read_text("utf-8").splitlines())
    spoilt = [one for one in map(spoil, records) if isinstance(one, dict)]
    view(harness.open(write(tmp_path / "x.jsonl", [header, *spoilt])))


def test_two_calls_of_one_number(tmp_path):
    records = session()
    again = [{**one, "seq": one["seq"] + 100} for one in records[1:]]
    recording = harness.open(write(tmp_path / "x.jsonl", [*records, *again]))
    assert len(recording.calls) == 8
    root = view(recording)
    assert place(root, "t-call-1.2").all("details")


def test_only_one_call(tmp_path):
    root = view(harness.open(write(tmp_path / "x.jsonl", session())), only=2)
    assert [one.attributes["id"] for one in root.all("article")] == ["t-call-2"]
    assert root.all("section", class_="tj-turn") == []
    assert root.all("dl", class_="tj-tiles") == []  # figures of the whole recording


def test_a_recording_without_anything(tmp_path):
    root = view(harness.open(write(tmp_path / "x.jsonl", session()[:1])))
    assert "0 calls in 0 turns" in root.whole
    assert root.all("nav") == []


def test_an_import_has_no_times(tmp_path):
    records = session()
    records[0]["source"] = "import:vcr"
    root = view(harness.open(write(tmp_path / "x.jsonl", records)))
    assert "which tells no times" in root.whole
    assert root.all("svg") == []
    assert root.all("a", class_="tj-row")
