"""Frames that are read many at once count as each of them counts when it is parsed by itself."""

from __future__ import annotations

import asyncio
import gzip
import json
import re

import httpx
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import harness
from agent.jsonio import dumps
from harness.replaying.aside import Aside, Events, count_from
from harness.replaying.unchanged import unchanged
from tests.agent.providers.streams import chunks, random_sizes
from tests.harness.replaying.test_unchanged import BYTES, assert_same
from tests.harness.sessions import Turn, chat, frames, record
from tests.harness.transports import BODY, URL, Reply, Scripted, recorder
from tests.harness.turns import LOOKS

WORDS = [
    "Look",
    " here",
    ' "there"',
    "\\",
    "\n\n",
    "\u00e9t\u00e9",
    " \U0001f600",
    "\u2028",
    ",",
    '","',
    '"}\n',
    "\x7f",
]
TEXTS = [WORDS[i * 5 % 12] + "x" * (i % 3) for i in range(40)]


def escaped(*texts):
    """Frames whose JSON is all ASCII, so that every other letter is an escape of its own."""
    return chat(*texts).chunks


def cut(reply, longest, seed=1, **more):
    body = b"".join(reply.chunks if isinstance(reply, Reply) else reply)
    return Reply(chunks(body, random_sizes(body, seed, longest=longest)), **more)


def unescaped(*texts):
    return [orjson.dumps(json.loads(data[6:])).join((b"data: ", b"\n\n")) for data in escaped(*texts)[:-1]]


ANTHROPIC = frames(
    {"type": "message_start", "message": {"model": "c", "usage": {"input_tokens": 3, "output_tokens": 1}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    *({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}} for text in TEXTS),
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 4}},
    {"type": "message_stop"},
)
BROKEN = [*escaped(*TEXTS)[:20], b"data: \xe2\x82\n\n", b": \xff\n\n", *escaped(*TEXTS)[20:]]
BAD_NEWS = frames(*({"error": {"message": f"no {i}", "type": "some_error"}} for i in range(20)))

SESSIONS = {
    "a frame a chunk": [Turn([LOOKS, Reply(escaped(*TEXTS))])],
    "in chunks of a network": [Turn([cut(chat(*TEXTS), 900)]), Turn([cut(chat(*TEXTS[::-1]), 300)])],
    "in small chunks": [Turn([cut(chat(*TEXTS), 20)])],
    "letters as they are": [Turn([cut(unescaped(*TEXTS), 400)])],
    "with lines ended by CR LF": [
        Turn([cut([part.replace(b"\n", b"\r\n") for part in escaped(*TEXTS)], size)]) for size in (40, 900)
    ],
    "anthropic": [Turn([cut(ANTHROPIC, 500)], provider="anthropic")],
    "half UTF-8": [Turn([cut(BROKEN, 500)])],
    "not terminated": [Turn([Reply([*escaped(*TEXTS)[:-1], b"data: [DONE]"])])],
    "a frame that is large": [Turn([Reply([*escaped(*TEXTS, "y" * 100_000, *TEXTS)])])],
    "more than a block": [Turn([cut(chat(*[word + "z" * 500 for word in TEXTS * 5]), 2000)])],
    "no end": [Turn([Reply(escaped(*TEXTS)[:-2], end=("ReadError", "gone"))])],
}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("aside")
    paths = {name: record(folder / f"{i}.jsonl", *turns) for i, (name, turns) in enumerate(SESSIONS.items())}
    paths["a failure"] = calls(folder / "failure.jsonl", Reply(BAD_NEWS, 500))
    paths["calls at once"] = calls(folder / "calls.jsonl", *(cut(chat(*TEXTS), 300, seed) for seed in range(3)))
    return paths


def calls(path, *replies):
    """Calls of some client, all at once, so that their frames stand between one another's."""

    async def read(client, number):
        async with client.stream("POST", URL, content=BODY.replace(b"hi", b"%d" % number)) as response:
            async for _ in response.aiter_raw():
                await asyncio.sleep(0)

    async def session():
        with recorder(path) as made:
            async with httpx.AsyncClient(transport=made.transport(Scripted([*replies]))) as client:
                await asyncio.gather(*(read(client, number) for number in range(len(replies))))

    asyncio.run(session())
    return path


def joined(path):
    aside = Aside()
    aside.choose(path.read_bytes())
    return sum(count for count, _ in aside._joined.values())


NAMES = [*SESSIONS, "a failure", "calls at once"]
UNLIKE = {"half UTF-8", "with lines ended by CR LF", "not terminated", "calls at once"}
"""With a frame whose line is another, or does not end in a line end, in the one block that they fit in."""
SLOW = {"a failure", "calls at once"}


@pytest.mark.parametrize("name", NAMES)
def test_long_sessions(recorded, name, tmp_path):
    path = recorded[name]
    assert (unchanged(path) is None) == (name in SLOW)
    assert all(verdict.status == "pass" for verdict in assert_same(path, pytest.MonkeyPatch.context)[2])
    for name, data in (
        ("r.jsonl.gz", gzip.compress(path.read_bytes())),
        ("crlf.jsonl", path.read_bytes().replace(b"\n", b"\r\n")),
        ("bom.jsonl", b"\xef\xbb\xbf" + path.read_bytes()),
        ("no_last_line_end.jsonl", path.read_bytes()[:-1]),
    ):
        changed = tmp_path / name
        changed.write_bytes(data)
        assert_same(changed, pytest.MonkeyPatch.context)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in UNLIKE])
def test_frames_are_joined(recorded, name):
    total = recorded[name].read_bytes().count(b'{"kind":"frame"')
    assert joined(recorded[name]) > total / 2


@pytest.mark.parametrize("name", ["letters as they are", "anthropic", "in small chunks"])
def test_frames_with_one_event_each_are_told_apart_by_what_stands_between(recorded, name):
    aside = Aside()
    rest = aside.choose(recorded[name].read_bytes().removesuffix(b"\n"))
    runs = [found for found in aside._events if isinstance(found, Events)]
    assert sum(len(run.frames) for run in runs) > 25
    assert all(run.frames == count_from(int(run.frames[0]), len(run.frames)) for run in runs)
    assert all(json.loads(line)["kind"] != "event" for line in rest)


def test_letters_that_are_not_ascii_stay_where_they_are():
    raws = [b"a", b"b\\n", "\u00e9".encode(), "\u2028".encode(), b'\\"', "\U0001f600".encode()]
    aside = Aside()
    (line,) = aside._whole_line(2, 9, raws)
    assert json.loads(line) == {"kind": "frame", "seq": 0, "t": 0, "call": 2, "i": 9, "raw": ""}
    assert aside._joined == {(2, 9): (6, 'a\nb\n\n\u00e9\n\u2028\n"\n\U0001f600\n'.encode())}


@pytest.mark.parametrize(("first", "many", "numbers"), [(0, 3, [b"0", b"1", b"2"]), (98, 3, [b"98", b"99", b"100"])])
def test_numbers_as_json_has_them(first, many, numbers):
    assert count_from(first, many) == numbers


def write(path, lines, right_size):
    """The lines, with the number of bytes that is in them where `right_size`; else as it was."""
    path.write_bytes(b"\n".join(lines) + b"\n")
    if right_size:
        try:
            sizes = {call.number: len(call.body()) for call in harness.open(path).calls}
        except (harness.HarnessError, TypeError):
            return path
        for index, line in enumerate(lines):
            if line.startswith(b'{"kind":"call_end"'):
                size = sizes.get(json.loads(line).get("call"))
                if size is not None:
                    lines[index] = re.sub(rb'"bytes":\d+', b'"bytes":%d' % size, line)
        path.write_bytes(b"\n".join(lines) + b"\n")
    return path


def frame_lines(path, data):
    """Its lines, and the index of one that holds a frame."""
    lines = path.read_bytes().split(b"\n")[:-1]
    return lines, data.draw(st.sampled_from([i for i, line in enumerate(lines) if b'"kind":"frame"' in line[:20]]))


@given(st.data())
def test_a_changed_byte_of_a_frame(recorded, tmp_path_factory, data):
    lines, index = frame_lines(recorded[data.draw(st.sampled_from(NAMES))], data)
    line = lines[index]
    near = data.draw(st.sampled_from([0, line.find(b',"raw') - 10, len(line) - 25]))
    at = min(len(line) - 1, max(0, near + data.draw(st.integers(0, 24))))
    new = data.draw(st.just(b"") | st.builds(lambda byte: bytes([byte]), BYTES))
    lines[index] = line[:at] + new + line[at + data.draw(st.integers(0, 1)) :]
    path = write(tmp_path_factory.mktemp("byte") / "r.jsonl", lines, data.draw(st.booleans()))
    assert_same(path, pytest.MonkeyPatch.context)


PIECES = [
    b'"', b"\\", b'\\"', b"\\\\", b"\\n", b'","', b'\\","', b',"', b'" , "', b"\\u12", b"\\ud83d", b"\\ude00",
    b"\xf0\x9f", b"\x98\x80", b"\x00", b"\t", b"\\r", b'\\n","x":"', b'\\n","raw":"', b'\\n","cuts":[]}',
    b'\\n"}\\n', b'"raw":"', b'\\n"}{"kind":"frame","seq":9,"t":0,"call":0,"i":9,"raw":"', b"data: [DONE]\\n\\n",
    b"\\/", b"\\n\\n", b"",
]  # fmt: skip


@given(st.data())
def test_changed_bytes_of_a_stream(recorded, tmp_path_factory, data):
    """At the ends of frames, and right behind one another, where what one lacks the next one could have."""
    lines, index = frame_lines(recorded[data.draw(st.sampled_from(NAMES))], data)
    for line_index in range(index, min(len(lines), index + data.draw(st.integers(1, 4)))):
        line = lines[line_index]
        head, found, raw = line.partition(b'"raw":"')
        end = max(raw.rfind(b'"}'), raw.find(b'","cut'))
        where = data.draw(st.sampled_from([0, 3, end - 2, end - 1, end]))
        left_out = data.draw(st.sampled_from([0, 0, 1, 2]))
        if found and end > 4:
            raw = raw[:where] + data.draw(st.sampled_from(PIECES)) + raw[where + left_out :]
        lines[line_index] = head + found + raw
    path = write(tmp_path_factory.mktemp("raw") / "r.jsonl", lines, data.draw(st.booleans()))
    assert_same(path, pytest.MonkeyPatch.context)


VALUES = [
    0, 1, 8, 9, 10, 12, -1, 1.0, 9.0, 0.5, 1e-7, 10**18, 10**19, 10**400, True, None, "", "x", "9", [], {}, [3],
    [0], [5, 3], [-3], [99999], [2.0], [10**19], ["a"], [None], [[]], [3, 3], [0.5, 1e-7], [True], "eA==",
    "data: x\n\n", "\n",
]  # fmt: skip
FIELDS = ("kind", "seq", "t", "call", "i", "raw", "raw_b64", "cuts", "cut_t", "unterminated", "more")


@given(st.data())
def test_changed_fields_of_a_frame(recorded, tmp_path_factory, data):
    """Written as the writer writes it, in any order, with a field twice."""
    lines, index = frame_lines(recorded[data.draw(st.sampled_from(NAMES))], data)
    value = json.loads(lines[index])
    for name in data.draw(st.lists(st.sampled_from(FIELDS), min_size=1, max_size=2)):
        if data.draw(st.integers(0, 4)):
            value[name] = data.draw(st.sampled_from(VALUES))
        else:
            value.pop(name, None)
    names = [*value] if data.draw(st.booleans()) else data.draw(st.permutations([*value]))
    written = [json.dumps({name: value[name]}, ensure_ascii=False, separators=(",", ":"))[1:-1] for name in names]
    if data.draw(st.integers(0, 4)) == 0:
        written.append(data.draw(st.sampled_from(written)))
    lines[index] = f"{{{','.join(written)}}}".encode()
    path = write(tmp_path_factory.mktemp("fields") / "r.jsonl", lines, data.draw(st.booleans()))
    assert_same(path, pytest.MonkeyPatch.context)


@given(st.data())
def test_moved_frames(recorded, tmp_path_factory, data):
    """Lines left out, doubled, swapped, glued, moved, or with the number of another."""
    lines, one = frame_lines(recorded[data.draw(st.sampled_from(NAMES))], data)
    other = data.draw(st.integers(max(0, one - 12), min(len(lines) - 1, one + 12)))
    what = data.draw(st.sampled_from(["drop", "double", "swap", "glue", "move", "number"]))
    if what == "drop":
        del lines[one]
    elif what == "double":
        lines.insert(other, lines[one])
    elif what == "swap":
        lines[one], lines[other] = lines[other], lines[one]
    elif what == "glue":
        lines[one : one + 2] = [b"".join(lines[one : one + 2])]
    elif what == "move":
        lines.insert(other, lines.pop(one))
    else:
        lines[one] = re.sub(rb'"i":\d+', b'"i":%d' % data.draw(st.integers(0, 45)), lines[one])
    path = write(tmp_path_factory.mktemp("moved") / "r.jsonl", lines, data.draw(st.booleans()))
    assert_same(path, pytest.MonkeyPatch.context)


HEADS = [
    (b'"seq":', b'"seq":0'), (b'"seq":', b'"seq":-'), (b'"seq":', b'"seq":x'), (b'"seq":', b'"seq":' + b"1" * 400),
    (b'"seq":', b'"seq" :'), (b'"t":0', b'"t":00'), (b'"t":0', b'"t":0e'), (b'"t":0.', b'"t":.'), (b'"t":0.',
    b'"t":0..'), (b'"t":0.', b'"t":0.5e-,"t":0.'), (b'"t":0.', b'"t":' + b"9" * 400 + b"."), (b'"t":',
    b'"t":"x","t":'), (b'"call":', b'"call":0'), (b'"call":1', b'"call":7'), (b'"call":1', b'"call":0'), (b'"i":',
    b'"i":0'), (b'"i":', b'"i":1'), (b'"i":', b'"i":9,"i":'), (b'"raw"', b'"more":1,"raw"'), (b'"frame"',
    b'"frame" '), (b"}", b"}}"), (b"{", b"{{"),
]  # fmt: skip
TAILS = [
    b'"}}', b'"} ', b'",}', b'",""}', b'","unterminated":true}', b'","cuts":[-3]}', b'","cuts":[03]}',
    b'","cuts":[3,]}', b'","cuts":[,3]}', b'","cuts":["3"]}', b'","cuts":[3.0]}', b'","cuts":[3,2]}',
    b'","cuts":[900]}', b'","cuts":null}', b'","cuts":[99999999999999999999]}', b'","cuts":[3],"cut_t":[01]}',
    b'","cuts":[3],"cut_t":[]}', b'","cut_t":[3]}', b'","cuts":[3],"cut_t":[' + b"9" * 400 + b"]}",
    b'","cuts":[3],"cut_t":3}', b'","cuts":[],"cuts":[-3]}', b'\\"}', b'"', b'","\\n"}', b'","x":"\\n"}',
    b'","raw":"\\n"}', b'" "\\n"}', b'" , "\\n"}', b'"\\n"}',
]  # fmt: skip


def changed_line(recorded, path, change, right_size):
    """Both ways on a recording in which one of many lines of frames is changed."""
    lines = recorded["a frame a chunk"].read_bytes().split(b"\n")[:-1]
    index = next(i for i, line in enumerate(lines) if b'"call":1,"i":20,' in line)
    lines[index] = change(lines[index])
    assert_same(write(path, lines, right_size), pytest.MonkeyPatch.context)


@pytest.mark.parametrize(("old", "new"), HEADS)
@pytest.mark.parametrize("right_size", [True, False])
def test_each_part_of_the_line_of_a_frame_counts(recorded, tmp_path, old, new, right_size):
    changed_line(recorded, tmp_path / "r.jsonl", lambda line: line.replace(old, new, 1), right_size)


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("right_size", [True, False])
def test_the_end_of_the_line_of_a_frame_counts(recorded, tmp_path, tail, right_size):
    changed_line(recorded, tmp_path / "r.jsonl", lambda line: line.removesuffix(b'"}') + tail, right_size)


@pytest.mark.parametrize(
    "tail", [b'\\n","x":"\\n"}', b'\\n","\\n"}', b'\\n" , "\\n"}', b'\\u\\n"}', b'\\ud83d\\n"}', b'\xf0\x9f\\n"}']
)
def test_a_frame_that_is_no_string_by_itself_is_not_joined(tail):
    line = b'{"kind":"frame","seq":%d,"t":0,"call":0,"i":%d,"raw":"data: x'
    lines = [line % (i, i) + end for i, end in enumerate((b'\\n"}', tail, b'\\n"}'), 8)]
    for choice in (lines, lines[:2], lines[1:]):
        with pytest.raises(ValueError, match=r"."):
            Aside().choose(b"\n".join(choice))


@given(st.data())
def test_the_bytes_are_those_of_each_frame(recorded, data):
    """Whatever the texts and cuts are, and however the lines come in blocks."""
    texts = data.draw(st.lists(st.text(st.sampled_from('a"\\\n,:}\u00e9\U0001f600\x00 '), max_size=9), min_size=9))
    cuts = data.draw(st.lists(st.sampled_from(["", ',"cuts":[]', ',"cuts":[3,7],"cut_t":[1,0.5]', ',"cuts":[2]'])))
    raws = [f"data: {text}\n\n" for text in texts]
    lines = [
        b'{"kind":"frame","seq":%d,"t":0.%d,"call":3,"i":%d,"raw":%b%b}'
        % (i, i, i, dumps(raw), (cuts[i % len(cuts)] if cuts else "").encode())
        for i, raw in enumerate(raws)
    ]
    size = data.draw(st.integers(1, len(lines)))
    path = recorded["a frame a chunk"]
    call = harness.open(path).calls[-1]
    call.number = 3
    call.frames.clear()
    aside = Aside()
    for at in range(0, len(lines), size):
        for line in aside.choose(b"\n".join(lines[at : at + size])):
            record = json.loads(line)
            call.frames.append(harness.recording.opening.Part(record["raw"].encode(), record["i"], 0.0))
    assert aside.whole(call) == len(raws)
    assert call.body() == "".join(raws).encode()
    assert [part.i for part in call.frames] == [*range(len(call.frames))]


def test_how_a_failure_was_cut_may_matter(recorded):
    """A client reads only so much of it, and stops behind a chunk."""
    aside = Aside()
    aside.choose(recorded["a failure"].read_bytes())
    call = harness.open(recorded["a failure"]).calls[0]
    call.frames = [part for part in call.frames if part.i <= 8]
    assert aside.whole(call) is None
