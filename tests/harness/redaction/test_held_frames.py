from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.sse import SSEDecoder
from harness.redaction.finder import Finder
from harness.redaction.frame_likeness import Likenesses
from harness.redaction.frame_texts import FrameTexts
from harness.redaction.held_frames import HeldFrames
from harness.redaction.redactor import Redactor, Rule
from harness.redaction.scan import scan_file
from tests.harness.planted import LEADS, SECRETS, WIRES, held_in, pieces, record, redactor, stream
from tests.harness.transports import Reply

KEY = SECRETS["openai"]


def frame(text, **more):
    return (
        f"data: {json.dumps({'id': 'm', 'choices': [{'index': 0, 'delta': {'content': text}}], **more})}\n\n".encode()
    )


def run(raws, redactor=None):
    """For each frame: the numbers of those that it lets go; then of those at the end. And all that was let go."""
    held = HeldFrames(redactor or Redactor())
    steps, out = [], []
    for number, each in enumerate(SSEDecoder().feed(b"".join(raws))):
        if held.passes(each):
            steps.append([number])
            out.append(each.raw)
        else:
            released = held.hold(each, number)
            steps.append([item.extra for item in released])
            out += [item.raw for item in released]
    last = held.flush()
    assert not held.waiting
    return [*steps, [item.extra for item in last]], [*out, *(item.raw for item in last)]


TAUGHT = [frame("one"), frame("two"), frame(" more")]


@pytest.mark.parametrize("before", [[], TAUGHT], ids=["whole", "glance"])
@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["a", " q"], [[0], [1], []]),
        (["a s", "o", " q"], [[], [0, 1], [2], []]),
        (["a s", "", "k", "o"], [[], [], [], [0, 1, 2, 3], []]),
        (["a s", "o g", "o"], [[], [0], [1, 2], []]),
        (["a s", "o g"], [[], [0], [1]]),
        (["a sk-", "learn ", "q"], [[], [0, 1], [2], []]),
        (["a s", KEY[1:9], KEY[9:], " q"], [[], [], [], [0, 1, 2, 3], []]),
        (["back\\", "slash"], [[], [0, 1], []]),
        (["a", f"x {KEY} y"], [[0], [1], []]),
    ],
)
def test_when_frames_are_let_go(before, texts, expected):
    raws = [*before, *map(frame, texts)]
    steps, out = run(raws)
    assert steps[len(before) :] == [[number + len(before) for number in step] for step in expected]
    if KEY[1:9] not in texts:
        assert out == raws


def test_frames_are_clean_or_redacted_by_the_caller():
    held = HeldFrames(Redactor())
    for each in SSEDecoder().feed(b"".join(TAUGHT)):
        assert held.passes(each) or held.hold(each, None)[0].clean
    ((one, two), (whole,)) = (SSEDecoder().feed(raw) for raw in (frame(" s") + frame("o"), frame(f"a {KEY} q")))
    assert held.hold(one, None) == []
    assert [item.clean for item in held.hold(two, None)] == [True, True]
    assert not held.passes(whole)
    assert [(item.clean, item.raw) for item in held.hold(whole, None)] == [(False, whole.raw)]


def test_what_stands_in_every_frame_does_not_wait():
    """An id that ends as a value begins: only its first frame waits, for the second."""
    redactor = Redactor({"K": "m-is-my-secret"})
    steps, _ = run([frame(text) for text in ("one", "two", "three", "four")], redactor)
    assert steps == [[], [0, 1], [2], [3], []]


def test_a_glance_becomes_a_look():
    """Where the next frame is another, or is a part of another text."""
    tool = frame("x", tool=True)
    assert run([*TAUGHT, frame(" s"), tool, frame("o"), frame("o")])[0][3:] == [[], [3, 4], [5], [6], []]
    between = b": ping\n\n"
    assert run([*TAUGHT, frame(" s"), between, frame("o"), frame("o")])[0][3:] == [[], [], [3, 4, 5], [6], []]
    parallel = [frame(f"t{n}").replace(b'"index": 0', b'"index": %d' % n) for n in (0, 1, 0, 1)]
    split = [parallel[0].replace(b"t0", KEY[:9].encode()), parallel[1], parallel[0].replace(b"t0", KEY[9:].encode())]
    _, out = run([*parallel, *split])
    assert b"[redacted:openai:1]" in b"".join(out)
    assert parallel[1] in out[4:]


def test_user_rules_wait_for_what_may_come():
    redactor = Redactor(rules=[Rule("badge", r"\bB-\d{3}\b"), Rule("name", r"^m$")])
    raws = [frame("my B-"), frame("123 and more"), b": B-123\n\n", frame("x", **{"B-123": "B-123"}), frame(" C" * 9)]
    steps, out = run(raws, redactor)
    joined = b"".join(out)
    assert b"B-" not in joined
    assert joined.count(b"[redacted:badge:1]") == 4
    assert joined.count(b"[redacted:name:1]") == 4
    assert any(steps[1:-1])


def test_drop():
    held = HeldFrames(Redactor())
    (one, two) = SSEDecoder().feed(frame("a s") + frame("k-o"))
    held.hold(one, None)
    assert held.drop() == len(one.raw)
    assert not held.waiting
    assert held.flush() == []
    assert held.hold(two, None)


parts = st.lists(
    st.sampled_from([
        "a", " s", "k-", "the ", "gs", "\\", "\\n", '"', "s", "é", KEY[:5], KEY[5:20], KEY[20:], KEY, " B", "",
    ]),
    max_size=20,
)  # fmt: skip


@given(st.sampled_from(WIRES), st.sampled_from(["text", "arguments"]), parts, st.booleans())
def test_a_glance_decides_as_a_look_does(wire, kind, texts, known):
    redactor = Redactor({"K": "s the value"} if known else {})
    raws = stream(wire, kind, ["a ", "b ", "c ", *texts])
    steps, out = run(raws, redactor)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Likenesses, "passes", lambda self, raw: False)
        patch.setattr(Likenesses, "read", lambda self, raw: None)
        assert run(raws, redactor) == (steps, out)


words = st.sampled_from([
    "a", " the", "s", "ri", "\\", "\\n", '"', "é", "--", "AI", " B", "T", "TEST", "n0", "c0", "%2", "\n", "sk", "hf_",
    *(f" {LEADS.get(name, '')}{secret} " for name, secret in SECRETS.items()),
])  # fmt: skip


@given(st.sampled_from(WIRES), st.lists(words, max_size=12).map("".join), st.booleans(), st.data())
def test_nothing_is_left_that_redacting_the_whole_text_would_find(wire, text, user_rules, data):
    rules = redactor(user_rules=user_rules)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))
    _, out = run(stream(wire, "text", ["one ", "two ", *pieces(text, cuts)]), rules)
    frames = SSEDecoder().feed(b"".join(map(rules.known, out)))
    found = "".join(item.data.decode() for frame in frames for item in FrameTexts(frame).texts if item.streamed)
    names = [name for name in SECRETS if user_rules or name != "badge"]
    assert {*held_in(found.encode(), [SECRETS[name] for name in names])} <= {*held_in(rules.text(text).encode())}


FOLLOWING = [
    ["it is ta", KEY, " ok"],
    ["it is ta", f"{KEY} and {KEY}", " ok"],
    ["it is ta", "s", KEY[1:], " ok"],
    ["it is ta", KEY[:3], KEY[3:9], KEY[9:], " ok"],
    ["it is ta", *KEY, " ok"],
    ["it is t", "a", KEY, " ok"],
    [f"it is {KEY} ta", KEY, " ok"],
    ["it is ", "ta", KEY, f" and {KEY[:9]}", KEY[9:], " ok"],
    ["it is 9", "123456", "78 ok"],
    ["it is 9", "12345678", " ok"],
    ["it is ta", f'{KEY}"\\ü ', KEY],
]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("before", [[], ["one", " two", " more "]], ids=["whole", "glance"])
@pytest.mark.parametrize("texts", FOLLOWING, ids=range(len(FOLLOWING)))
def test_a_key_does_not_begin_inside_a_word(tmp_path, wire, before, texts):
    """However a word is cut, it is recorded as it would be in one piece."""
    rules = Redactor({"PIN": "12345678"})
    for kind in ("text", "reasoning"):
        found = record(tmp_path / "r.jsonl", wire, Reply(stream(wire, kind, [*before, *texts])), rules)
        assert found.text(kind) == rules.text("".join([*before, *texts]))
        assert scan_file(found.path, Finder(["12345678"])).findings == []


@pytest.mark.parametrize("between", [b": ping\n\n", b'data: {"type": "ping"}\n\n'])
def test_what_stands_before_is_known_of_the_frame_before_only(between):
    _, out = run([*TAUGHT, frame("ta"), between, frame(KEY)])
    assert Redactor().bytes(out[-1]).count(KEY.encode()) == 0


@pytest.mark.parametrize("name", ["learned", "cookie", "aws", "key"])
def test_a_key_right_behind_another_secret(name):
    texts = ["it is ", SECRETS[name], KEY, " ok"]
    for cut in (None, 5):
        cuts = texts if cut is None else [texts[0], *pieces(SECRETS[name], [cut]), *texts[2:]]
        rules = redactor(user_rules=False)
        _, out = run([*TAUGHT, *map(frame, cuts)], rules)
        assert held_in(b"".join(map(rules.bytes, out)), [SECRETS[name], KEY]) == []


def test_a_key_that_another_text_stands_before():
    """An id or a name in the frame before is a text of its own."""
    first, second = (f"data: {json.dumps({'name': text, 'n': 1})}\n\n".encode() for text in ("ta", KEY))
    _, out = run([first, second])
    assert KEY not in Redactor().bytes(b"".join(out)).decode()


def test_a_text_elsewhere_is_of_its_own():
    """What looks like base64 does not wait there, and a key is one whatever stands there in the frame before."""
    padded = [frame(f"t{n}", obfuscation=f"aBcDeFg{n}hIj") for n in range(9)]
    steps, out = run(padded)
    assert steps == [*([n] for n in range(9)), []]
    assert out == padded
    named = [frame("one", name=f"n{n}") for n in range(4)]
    for texts in (["ta", KEY], ["a s", KEY], ["a sk-", KEY]):
        _, out = run([*named, *(frame("one", name=text) for text in texts)])
        assert KEY not in b"".join(map(Redactor().bytes, out)).decode()
