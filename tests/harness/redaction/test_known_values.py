from __future__ import annotations

import base64
import json

import pytest

from harness.redaction.known_values import KEY_RULE, Known, Value, forms_of
from tests.harness.redaction.test_redactor import KEYS, VALUE


def test_forms_of_a_key():
    plain, *encoded = forms_of(KEYS["anthropic"])
    assert (plain.text, plain.is_core, plain.rule) == (KEYS["anthropic"], False, "anthropic")
    assert {value.is_core for value in encoded} == {True}
    assert {value.secret for value in encoded} == {KEYS["anthropic"].encode()}
    assert {value.rule for value in encoded} == {"anthropic"}
    assert forms_of("just-a-value")[1].rule == KEY_RULE


@pytest.mark.parametrize("form", [VALUE, json.dumps(VALUE)[1:-1], json.dumps(VALUE, ensure_ascii=False)[1:-1]])
def test_a_secret_that_json_escapes_was_encoded_with_its_escapes(form):
    text = base64.b64encode(form.encode())
    assert any(value.pattern.search(text) for value in forms_of(VALUE) if value.is_core)


def test_known():
    known = Known.of([*forms_of("SECRET-SECRET"), *forms_of("SECRET-SECRET-LONGER")])
    lengths = [len(value.text) for value in known.values]
    assert lengths == sorted(lengths, reverse=True)
    assert not known.always
    for text in (
        b"a SECRET-SECRET b",
        base64.b64encode(b"a SECRET-SECRET b"),
        base64.encodebytes(b"x" * 50 + b"SECRET-SECRET-LONGER"),
    ):
        assert known.may_stand_in(text)
    assert not known.may_stand_in(b"a SECRET and another, base64encodingofsomethingelse")
    assert not Known().may_stand_in(b"anything")
    assert Known.of([Value("a+b/c=d&")]).always


def test_base64_is_looked_for_where_some_is():
    known = Known.of([*forms_of("SECRET-SECRET"), *forms_of("SECRET-SECRET-LONGER"), Value("a+b/c=d&")])
    once = base64.b64encode(b"SECRET-SECRET")
    twice = base64.b64encode(once)
    others = base64.b64encode(b"something else that is as long")
    found = [known.to_look_for(text) for text in (b"SECRET-SECRET " + others, once, twice)]
    assert [{(value.is_core, value.twice) for value in values} for values in found] == [
        {(False, False)},
        {(False, False), (True, False)},
        {(False, False), (True, False), (True, True)},
    ]
    assert found[2] == known.values
    for values in found:
        assert [value for value in known.values if value in values] == [*values]
    short = Known.of(forms_of("123"))
    assert [value for value in short.values if not value.known_by_runs]
    assert {value for value in short.values if not value.known_by_runs} <= {*short.to_look_for(b"a")}


def test_may_stand_in():
    plain, *encoded = forms_of("SECRET-SECRET")
    assert plain.may_stand_in(b"x SECRET-SECRET", escaped=False)
    assert not plain.may_stand_in(b"x", escaped=False)
    assert plain.may_stand_in(b"x", escaped=True)
    assert not any(value.may_stand_in(b"x", escaped=True) for value in encoded)


@pytest.mark.parametrize("coder", [base64.b64encode, base64.urlsafe_b64encode, base64.encodebytes])
@pytest.mark.parametrize("secret", ["SECRET-8", "SECRET-SECRET-LONGER", "a?>~/+=b?>~/+=c", VALUE])
def test_twice_encoded(secret, coder):
    known = Known.of(forms_of(secret))
    for inner in range(3):
        for outer in range(3):
            text = coder(b"y" * outer + base64.b64encode(b"x" * inner + secret.encode() + b".") + b" and more")
            assert known.may_stand_in(text)
            assert any(value.twice and value.pattern.search(text) for value in known.values)
    assert not known.may_stand_in(coder(base64.b64encode(b"something else that is as long")))
