"""A whole HTML document: nothing in it asks for anything outside of it, and nothing that it shows can become markup.

Styles and scripts stand in it, from files beside this one; a Content-Security-Policy lets in these and nothing else, so
no `style=` attribute and no `on...=` handler works either.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files

from harness.report.rendering import NAME
from harness.report.text import harmless


def escaped(text: str, *, quotes: bool = True) -> str:
    """`text` for an element or a quoted attribute. Line feeds and tabs stay; other control characters, marks that turn
    the direction of writing and lone surrogates are shown as escapes.

    `quotes` False: for an element only. JSON takes a quarter less room so.
    """
    return escape(harmless(text.replace("\r\n", "\n")), quote=quotes)


def page(title: str, body: Iterable[str], version: str, *, parts: Sequence[str] = ()) -> str:
    """The document. `title`: text, also its heading. `body`: markup. `version`: of this program.

    `parts`: names of what the body needs besides the page itself: `viewer` brings `viewer.css` and `viewer.js` in.
    """
    names = ("page", *parts)
    style, script = _joined(names, "css"), _joined(names, "js")
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    head = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{escaped(title)}</title>",
        f"<style>{style}</style>",
        "</head>",
        "<body>",
        f"<header><h1>{escaped(title)}</h1></header>",
        "<main>",
    ]
    foot = ["</main>", f"<footer>{escaped(NAME)} {escaped(version)}</footer>", f"<script>{script}</script>"]
    return "\n".join([*head, *body, *foot, "</body>", "</html>", ""])


def _joined(names: Sequence[str], suffix: str) -> str:
    return "\n" + "".join(_file(f"{name}.{suffix}") for name in names)


@cache
def _file(name: str) -> str:
    return files("harness.page").joinpath(name).read_text("utf-8")


def _digest(text: str) -> str:
    """The source expression that lets in an inline element of exactly this text."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
