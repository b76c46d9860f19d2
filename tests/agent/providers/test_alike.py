"""What is alike is read as parsing would read it, and nothing else is taken for alike."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.events import Reasoning, Text
from agent.providers import adapter
from agent.providers.alike import Alike
from agent.sse import Frame


def chat(content, obfuscation=None, name="content", **more):
    delta = {"content": content} if name == "content" else {"content": None, name: content}
    payload = {"model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": None}], **more}
    if obfuscation is not None:
        payload["obfuscation"] = obfuscation
    return json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode()


def anthropic(text, blanks=3, kind="text"):
    delta = json.dumps({"type": f"{kind}_delta", kind: text}, ensure_ascii=False)
    return f'{{"type":"content_block_delta","index":0,"delta":{delta}{" " * blanks}}}'.encode()


def pattern(wire, data):
    read = adapter(wire).decoder().piece
    alike = Alike(read)
    piece = read(data)
    assert piece is not None
    assert alike.learn(data, piece)
    return alike


@pytest.mark.parametrize(
    ("wire", "first", "second", "piece"),
    [
        ("openai-chat", chat("a"), chat(" \u2014 \"b\" \\ \n"), Text(" \u2014 \"b\" \\ \n")),
        ("openai-chat", chat("a", "xyz"), chat("b", "longer9"), Text("b")),
        ("openai-chat", chat("a", "xyz"), chat("b", ""), Text("b")),
        ("openai-chat", chat("a", ""), chat("b", "x"), Text("b")),
        ("openai-chat", chat("a", name="reasoning_content"), chat("b", name="reasoning_content"), Reasoning("b")),
        ("anthropic", anthropic("a"), anthropic("b", blanks=0), Text("b")),
        ("anthropic", anthropic("a", blanks=0), anthropic("b", blanks=9), Text("b")),
        ("anthropic", anthropic("a", kind="thinking"), anthropic("b", kind="thinking"), Reasoning("b")),
    ],
    ids=["text", "obfuscation", "no-letters", "letters", "reasoning", "no-blanks", "blanks", "thinking"],
)  # fmt: skip
def test_alike(wire, first, second, piece):
    assert pattern(wire, first).piece(second) == piece


@pytest.mark.parametrize(
    "data",
    [
        chat(""),
        chat("b", "x\u00e9"),
        chat("b", "x y"),
        chat("b", "xyz") + b" ",
        chat("b", "xyz")[:-1],
        chat("b", usage={"prompt_tokens": 1}),
        chat("b", "xyz").replace(b'"b"', b"null"),
        chat("b", "xyz").replace(b'"b"', b'"\\ud800"'),
        chat("b", "xyz").replace(b'"b"', b'"\xff"'),
        chat("b", "xyz").replace(b'"b"', b'"\n"'),
        chat("b", "xyz").replace(b'"b"', b'"b","role":"tool"'),
        b"",
        b"[DONE]",
    ],
)
def test_not_alike(data):
    assert pattern("openai-chat", chat("a", "xyz")).piece(data) is None


def test_what_closes_may_not_overlap():
    alike = pattern("anthropic", anthropic("a"))
    assert alike.piece(b'{"type":"content_block_delta","index":0,"delta":{"type": "text_delta", "text": "b"}') is None


def test_a_text_that_stands_elsewhere_too_is_found_where_it_is_read():
    for text in ("m", ",", "stop"):
        alike = pattern("openai-chat", chat(text, after=[text] * 2))
        assert alike.piece(chat("other", after=[text] * 2)) == Text("other")
        assert alike.piece(chat(text, after=["other"] * 2)) is None


def test_a_text_that_stands_elsewhere_often_is_no_pattern():
    data = chat("m", after=["m"] * 9)
    alike = Alike(adapter("openai-chat").decoder().piece)
    assert not alike.learn(data, Text("m"))
    assert alike.piece(data) is None


def test_learning_ends():
    read = adapter("openai-chat").decoder().piece
    alike = Alike(read)
    learned = [alike.learn(chat("a", created=number), Text("a")) for number in range(12)]
    assert learned == [True] * 8 + [False] * 4
    assert alike.piece(chat("b", created=7)) == Text("b")
    assert alike.piece(chat("b", created=11)) is None


texts = st.text(st.sampled_from('ab"\\{}:,/\n\u00e9\U0001f600 '), max_size=6)
bytes_of_json = st.lists(
    st.sampled_from([b'"', b"\\", b"}", b"]", b"{", b",", b":", b'"content":', b'"obfuscation":"', b"x", b" ", b"1"]),
    max_size=6,
).map(b"".join)  # fmt: skip


@given(texts.filter(len), texts, bytes_of_json, st.integers(0, 400), st.sampled_from(["openai-chat", "anthropic"]))
def test_whatever_it_reads_parsing_reads_the_same(first, second, noise, at, wire):
    make = (lambda text: chat(text, "pad")) if wire == "openai-chat" else anthropic
    alike = Alike(adapter(wire).decoder().piece)
    if not alike.learn(make(first), Text(first)):
        return
    data = make(second)
    data = data[:at] + noise + data[at:]
    piece = alike.piece(data)
    if piece is not None:
        assert piece == adapter(wire).decoder().piece(data)


@given(st.lists(texts, min_size=1, max_size=8))
def test_a_stream_gives_what_it_gave_frame_by_frame(pieces):
    payloads = [chat(piece, "pad"[: len(piece) % 4]) for piece in pieces]
    decoder = adapter("openai-chat").decoder()
    found = [event for data in payloads for event in decoder.feed(Frame(data, data))]
    assert found == [Text(piece) for piece in pieces if piece]


def test_a_run_ends_where_something_else_begins():
    alike = pattern("openai-chat", chat("a", "xyz") + b"\n\n")
    run = b"".join(data + b"\n\n" for data in (chat("b", "1"), chat('c"\\', ""), chat("\u00e9", "22")))
    pieces = ["b", 'c"\\', "\u00e9"]
    assert alike.run(run) == (pieces, len(run))
    others = (chat(""), chat("d", "x y"), chat("d", "xyz")[:-1], b" ", chat("e", usage={}), b'"}')
    for rest in others:
        assert alike.run(run + rest) == (pieces, len(run))
        assert alike.run(run + rest + b"\n\n") == (pieces, len(run))
        found, size = alike.run(run + rest + b"\n\n" + chat("f", "xyz") + b"\n\n")
        assert found in (pieces, pieces[:2])
        assert run[:size].count(b"\n\n") == len(found)
    assert alike.run(run[:-1]) == (pieces[:2], run.rindex(b'{"model"'))
    assert alike.run(chat("", "xyz") + b"\n\n" + run) == ([], 0)
    assert alike.run(b"") == ([], 0)


def test_pieces_that_end_in_no_blank_line_make_no_run():
    assert pattern("openai-chat", chat("a", "xyz")).run(chat("b", "xyz") * 2) == ([], 0)


@given(st.lists(texts, max_size=6), bytes_of_json, st.integers(0, 900), st.sampled_from(["openai-chat", "anthropic"]))
def test_a_run_is_what_its_parts_are(pieces, noise, at, wire):
    """Cut into the parts that it takes, each of them is read as the same piece."""
    make = (
        (lambda text: chat(text, "pad") + b"\n\n") if wire == "openai-chat" else lambda text: anthropic(text) + b"\n\n"
    )
    decoder = adapter(wire).decoder()
    alike = Alike(lambda data: decoder.piece(data))
    assert alike.learn(make("first"), Text("first"))
    data = b"".join(map(make, pieces))
    data = data[:at] + noise + data[at:]
    found, size = alike.run(data)
    parts = data[:size].split(b"\n\n")[:-1]
    assert [decoder.piece(part) for part in parts] == [Text(text) for text in found]


def _chat_raw(*insides):
    piece = chat("", "pad") + b"\n\n"
    return b"".join(piece.replace(b'"content":""', b'"content":"%b"' % inside) for inside in insides)


@pytest.mark.parametrize("bad", ["a\\", ',"a', 'a","b', 'a" , "b', "\\u12", "\\ud83d", '","', "\t"])
@pytest.mark.parametrize("more", ["x", "\\", ',"x', 'x","y', "\\ude00", '\\",\\"'])
def test_the_inside_of_no_string_ends_a_run(bad, more):
    """Also where it fits together with the next one."""
    alike = pattern("openai-chat", chat("a", "xyz") + b"\n\n")
    decoder = adapter("openai-chat").decoder()
    for insides in ((bad,), (bad, more), (more, bad), ("ok", bad, more), (bad, more, bad)):
        encoded = [inside.encode() for inside in insides]
        whole = [decoder.piece(_chat_raw(inside)) for inside in encoded]
        good = whole.index(None) if None in whole else len(whole)
        found, size = alike.run(_chat_raw(*encoded))
        assert [Text(text) for text in found] == whole[: len(found)]
        assert len(found) <= good
        assert size == len(_chat_raw(*encoded[: len(found)]))


@given(st.sampled_from(["a", " b", "\n", '"q"', "\\", "é", ""]), st.sampled_from(["", "xyz", "x9", "no letters"]))
@pytest.mark.parametrize("wire", ["openai-chat", "anthropic"])
def test_a_piece_among_others_is_split_as_it_is_alone(wire, text, padding):
    make = chat if wire == "openai-chat" else lambda text, padding: anthropic(text, len(padding))
    alike = pattern(wire, make("a", "xyz") + b"\n\n")
    data = make(text, padding) + b"\n\n"
    alone = alike.split(data)
    assert (alone is None) == (padding == "no letters" and wire == "openai-chat")
    first, second = (make(other, "z") + b"\n\n" for other in "bc")
    texts, paddings = alike.splits(first + data + second)
    assert alike.size(texts, paddings) == len(first + data + second if alone else first)
    if alone is not None:
        assert alone[0] == json.dumps(text, ensure_ascii=False)[1:-1].encode()
        assert [*zip(texts, paddings, strict=True)] == [alike.split(first), alone, alike.split(second)]
