from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from harness.redaction.joined_text import JoinedText
from harness.redaction.redactor import Redactor, Rule
from tests.harness.planted import SECRETS

KEY = SECRETS["openai"].encode()


def run(parts, redactor, **options):
    """What becomes of the pieces, one list for each that was added and one for the end."""
    text = JoinedText(redactor, **options)
    secrets = redactor.open_secrets()
    steps = [[(piece.of, piece.data) for piece in text.add(number, part, secrets)] for number, part in enumerate(parts)]
    return [*steps, [(piece.of, piece.data) for piece in text.close()]]


def test_pieces_come_back_when_they_are_decided():
    assert run([b"a s", b"ome", b" q", b"y s"], Redactor()) == [
        [],
        [(0, b"a s"), (1, b"ome")],
        [(2, b" q")],
        [],
        [(3, b"y s")],
    ]
    steps = run([b"a ", b"b " + KEY[:2], KEY[2:9], KEY[9:], b" q", b"d"], Redactor())
    assert steps == [
        [(0, b"a ")], [], [], [], [(1, b"b [redacted:openai:1]"), (2, b""), (3, b""), (4, b" q")], [(5, b"d")], [],
    ]  # fmt: skip


def test_two_secrets_in_a_row():
    steps = run([b"x " + KEY[:5], KEY[5:] + b" " + KEY[:7], KEY[7:] + b"."], Redactor())
    assert steps[:2] == [[], []]
    assert steps[2] == [(0, b"x [redacted:openai:1]"), (1, b" [redacted:openai:1]"), (2, b".")]


def test_a_value_inside_what_looks_like_the_beginning_of_another():
    redactor = Redactor({"A": "abcabcab", "B": "ab-longer-one"})
    steps = run([b"-abcabc", b"ab", b"-longer", b"-one!"], redactor)
    assert b"".join(data for step in steps for _, data in step) == b"-[redacted:key:1]-longer-one!"


def test_a_word_goes_on_over_pieces_that_are_gone():
    """`task-...` is no key, though its second piece begins like one."""
    steps = run([b"x s", b" ta\\", b"sk-0123456789abcdefghij", b" y"], Redactor())
    assert b"[redacted" not in b"".join(data for step in steps for _, data in step)[:6]


def test_user_rules():
    redactor = Redactor(rules=[Rule("badge", r"B-\d{6}")])
    steps = run([b"ab", b"c: B-1", b"23456 is abc: and more text", b", B", b"-654321"], redactor)
    assert b"".join(data for step in steps for _, data in step) == (
        b"abc: [redacted:badge:1] is abc: and more text, [redacted:badge:2]"
    )
    assert any(steps[:-1])
    assert run([b"B-123456"], redactor, user_rules=False) == [[(0, b"B-123456")], []]


def test_the_ends_of_the_text_are_not_those_of_its_pieces():
    redactor = Redactor(rules=[Rule("start", r"^\w+:"), Rule("end", r"\d+$")])
    steps = run([b"ab", b"c: 12", b" d: 3", b"4"], redactor)
    assert b"".join(data for step in steps for _, data in step) == b"[redacted:start:1] 12 d: [redacted:end:1]"


def test_documents():
    body = json.dumps({"a": f"x\n{SECRETS['key']}", "b": SECRETS["openai"]}).encode()
    for cut in range(len(body)):
        steps = run([body[:cut], body[cut:]], Redactor({"K": SECRETS["key"]}), in_json=True)
        whole = b"".join(data for step in steps for _, data in step)
        assert json.loads(whole) == {"a": "x\n[redacted:key:1]", "b": "[redacted:openai:1]"}


pieces = st.lists(
    st.sampled_from([b"x ", b" ", b"s", KEY[:4], KEY[4:11], KEY[11:], KEY, b"AK", b"IA", b"\\"]), max_size=12
)


@given(pieces)
def test_any_pieces_are_redacted_as_the_whole(parts):
    redactor = Redactor()
    steps = run(parts, redactor)
    found = [piece for step in steps for piece in step]
    assert [number for number, _ in found] == [*range(len(parts))]
    assert b"".join(data for _, data in found).decode() == redactor.text(b"".join(parts).decode())
