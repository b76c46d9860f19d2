"""HTML as tests look at it: parsed strictly, so that a tag that is not closed, or closed twice, is an error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_INLINE = {"a", "b", "strong", "small", "del", "ins"}
VOID = {"meta", "br", "hr", "input", "wbr"}
HOSTILE = (
    "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"' onmouseover='alert(1)", "<!-- --> ]]>",
    "NUL\x00 and \x1b[31m", "half \ud83d of a pair", "\u202eturned\u200f", "&lt;&amp;&#60;", "javascript:alert(1)",
    "</title></style></svg></textarea>", "line\nline\ttab\r\nend",
)  # fmt: skip
"""What an untrusted text may hold."""


@dataclass
class Element:
    """`parts`: texts and elements in their order."""

    tag: str
    attributes: dict[str, str]
    parts: list[str | Element] = field(default_factory=list)

    @property
    def children(self) -> list[Element]:
        return [part for part in self.parts if isinstance(part, Element)]

    @property
    def text(self) -> str:
        """Of the element itself, without that of its children."""
        return "".join(part for part in self.parts if isinstance(part, str))

    def walk(self) -> Iterator[Element]:
        yield self
        for child in self.children:
            yield from child.walk()

    def all(self, tag: str, **attributes: str) -> list[Element]:
        """Those below with this tag and these attributes; `class_` is one of its classes."""
        wanted = attributes.pop("class_", None)
        return [
            one
            for one in self.walk()
            if one.tag == tag
            and all(one.attributes.get(name) == value for name, value in attributes.items())
            and (wanted is None or wanted in one.attributes.get("class", "").split())
        ]

    @property
    def whole(self) -> str:
        """All text, in one line."""
        return " ".join("".join(self._texts()).split())

    def _texts(self) -> Iterator[str]:
        for part in self.parts:
            if isinstance(part, str):
                yield part
            else:
                yield from part._texts() if part.tag in _INLINE else (" ", *part._texts(), " ")


class _Strict(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("", {})
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), f"<{tag}> has an attribute twice"
        element = Element(tag, {name: value or "" for name, value in attrs})
        self._open[-1].parts.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open[-1].tag == tag, f"</{tag}> closes <{self._open[-1].tag}>"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        self._open[-1].parts.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(f"a declaration: {data}")


def parsed(markup: str) -> Element:
    parser = _Strict()
    parser.feed(markup)
    parser.close()
    assert len(parser._open) == 1, f"<{parser._open[-1].tag}> is not closed"
    return parser.root


def assert_sound(document: str) -> Element:
    """That a whole page is well formed, loads nothing, has no active part but its own script, and no id twice."""
    document.encode()
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", document)
    root = parsed(document)
    elements = [*root.walk()]
    ids = [one.attributes["id"] for one in elements if "id" in one.attributes]
    assert len(ids) == len({*ids})
    for one in elements:
        assert one.tag not in {"img", "iframe", "object", "embed", "link", "base", "form", "video", "audio", "image"}
        for name, value in one.attributes.items():
            assert not name.startswith("on"), f"<{one.tag} {name}>"
            assert name not in {"style", "src", "srcset", "action", "formaction", "xlink:href", "data", "ping"}, name
            if name in {"href", "for", "aria-describedby", "aria-labelledby", "aria-controls"}:
                assert {part.removeprefix("#") for part in value.split()} <= {*ids}, f"{name}={value!r} leads nowhere"
    active = [one for one in root.all("script") if one.attributes.get("type") != "application/json"]
    assert len(active) == 1
    assert len(root.all("style")) == 1
    for one in (*active, *root.all("style")):
        assert not re.search(r"https?://|@import|url\(|innerHTML|outerHTML|insertAdjacentHTML|eval\(|fetch\(", one.text)
    return root
