"""The page around everything: whole, closed to the outside, and nothing that it shows becomes markup."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

import pytest

from harness.page.shell import escaped, page
from tests.harness.page.markup import HOSTILE, assert_sound, parsed


def test_it_is_a_whole_document():
    root = assert_sound(page("Cost & more", ["<p>one</p>", "<p>two</p>"], "1.2"))
    assert [one.whole for one in (*root.all("title"), *root.all("h1"))] == ["Cost & more"] * 2
    assert root.all("main")[0].whole == "one two"
    assert root.all("footer")[0].whole == "trajectory-harness 1.2"
    assert root.all("html")[0].attributes["lang"] == "en"
    assert root.all("meta", name="viewport")


def test_the_policy_lets_in_its_own_style_and_script_and_nothing_else():
    root = parsed(page("x", [], "1"))
    (policy,) = (
        one.attributes["content"]
        for one in root.all("meta")
        if one.attributes.get("http-equiv") == "Content-Security-Policy"
    )
    allowed = {}
    for kind in ("style", "script"):
        digest = sha256(root.all(kind)[0].text.encode()).digest()
        allowed[kind] = f"'sha256-{b64encode(digest).decode()}'"
    assert policy.split("; ") == [
        "default-src 'none'", f"style-src {allowed['style']}", f"script-src {allowed['script']}", "base-uri 'none'",
        "form-action 'none'",
    ]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text):
    root = assert_sound(page(text, [f'<p title="{escaped(text)}">{escaped(text)}</p>'], text))
    (shown,) = root.all("p")
    assert shown.attributes == {"title": shown.text}
    assert not shown.children
    assert re.sub(r"\\[xu][0-9a-f]+", "", shown.text) == re.sub(
        "[\x00\x1b\ud83d\u202e\u200f]", "", text.replace("\r\n", "\n")
    )


def test_control_characters_are_shown_as_escapes():
    assert escaped("\"<'&", quotes=False) == "\"&lt;'&amp;"
    assert escaped("a\x00b\u202ec\ud800\td\r\ne") == "a\\x00b\\u202ec\\ud800\td\ne"
