from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.redaction.finder import Finder, Hit, apart
from harness.redaction.redactor import Redactor, Rule
from harness.redaction.views import BASE64
from tests.harness.redaction.test_redactor import KEYS, PEM
from tests.harness.secret_forms import FORMS

VALUES = {"plain-value": "TESTKEY-AAAA-1111", "odd-value": 'pa"ss\\wörd/1'}
SECRETS = {**KEYS, "private_key": PEM, **VALUES}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("name", "secret"), SECRETS.items(), ids=SECRETS)
def test_each_secret_in_each_form(name, secret, form):
    write, expected = FORMS[form]
    finder = Finder(VALUES.values())
    if name == "odd-value" and form == "plain":
        write = lambda text: json.dumps(text)[1:-1]  # noqa: E731
    text = f'{{"a":"{write(secret)}","b":1}}'.encode()
    (hit,) = finder.find(text)
    assert text[: hit.start] == b'{"a":"'
    assert text[hit.end :] == b'","b":1}'
    assert hit.rule == (name if name in KEYS or name == "private_key" else "key")
    if name not in ("private_key", "odd-value"):
        assert hit.secret == secret.encode()
        assert hit.form == expected or form in ("base64-percent", "base64-slashes", "percent-base64")


@pytest.mark.parametrize(
    "text",
    [
        b"nothing here",
        b"[redacted:openai:1] Bearer [redacted:key:2]",
        b"import sk-learn-contrib-imbalanced",
        b"The bearer of this letter",
        b"aGVsbG8gd29ybGQsIHRoaXMgaXMgbm8gc2VjcmV0IGF0IGFsbA==",
        b'"signature":"' + b"EqQBCkYIBBgCKkBzY2hlbWE" * 40 + b'"',
    ],
)
def test_no_secret(text):
    assert Finder(VALUES.values(), [Rule("word", "redacted|key:2")]).find(text) == []


def test_what_is_learned():
    finder = Finder()
    assert finder.learn("a-secret-value")
    assert not finder.learn("a-secret-value")
    assert not finder.learn("short")
    assert not finder.learn("changeme")
    assert not finder.learn("[redacted:key:1]")
    assert finder.learn("another-value", "cookie")
    assert finder.learn(KEYS["groq"])
    hits = finder.find(f"a-secret-value another-value {KEYS['groq']}".encode())
    assert [hit.rule for hit in hits] == ["key", "cookie", "groq"]


def test_rules_of_the_user():
    finder = Finder(rules=[Rule("customer", "Kunde-[0-9]+"), Rule("accent", "é+")])
    text = "ü Kunde-1 [redacted:customer:7] éé".encode()
    assert [(hit.rule, text[hit.start : hit.end].decode()) for hit in finder.find(text)] == [
        ("customer", "Kunde-1"),
        ("accent", "éé"),
    ]
    assert finder.find(text, user_rules=False) == []
    assert finder.rules == Redactor(rules=[Rule("customer", "x"), Rule("accent", "x")]).rules


@pytest.mark.parametrize("rule", [Rule("a b", "x"), Rule("a", "(")])
def test_bad_rules(rule):
    with pytest.raises(ValueError, match="rule"):
        Finder(rules=[rule])


def test_the_longest_of_overlapping_hits_counts():
    hits = [Hit(0, 4, "a", b""), Hit(2, 9, "b", b""), Hit(9, 10, "c", b""), Hit(2, 9, "d", b""), Hit(20, 21, "e", b"")]
    assert [hit.rule for hit in apart(hits)] == ["b", "c", "e"]
    inner = KEYS["anthropic"][10:30]
    (hit,) = Finder([inner]).find(KEYS["anthropic"].encode())
    assert hit.secret == KEYS["anthropic"].encode()


def test_an_odd_backslash_goes_with_the_secret():
    (hit,) = Finder(['"quoted-value']).find(rb'"say \"quoted-value"')
    assert hit.start == 5


def test_a_number_becomes_a_string_where_json_wants_one():
    finder = Finder(["12345678901"])
    for text in ('{"pin":12345678901}', '{"pin":"12345678901"}', '[1,"\\"",12345678901]'):
        (hit,) = finder.find(text.encode())
        before = text[: hit.start].encode()
        again = before + hit.replacement(before, b"[redacted:key:1]") + text[hit.end :].encode()
        assert "[redacted:key:1]" in json.dumps(json.loads(again))
    (hit,) = finder.find(b"the pin is 12345678901, sir")
    assert hit.replacement(b"the pin is ", b"X") == b"X"


@given(st.lists(st.sampled_from(list(KEYS.values())) | st.text(max_size=20), max_size=6))
def test_finds_what_the_redactor_replaces(parts):
    text = " ".join(parts)
    data = text.encode("utf-8", "surrogatepass")
    hits = Finder().find(data)
    redacted = Redactor().text(text)
    for hit in reversed(hits):
        data = data[: hit.start] + b"X" + data[hit.end :]
    assert (redacted == text) == (not hits)
    assert Finder().find(data) == []


def test_rules_of_the_user_in_base64():
    finder = Finder(rules=[Rule("customer", r"\bKunde-[0-9]+\b")])
    text = b"see " + base64.b64encode(b"a: Kunde-1234, b: Kunde-99.") + b" [redacted:customer:1]"
    assert [(hit.secret, hit.form) for hit in finder.find(text)] == [(b"Kunde-1234", BASE64), (b"Kunde-99", BASE64)]
    assert finder.find(text, user_rules=False) == []
