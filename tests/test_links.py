"""README, CHANGELOG and docs/: every link leads somewhere, and every page can be reached and leads on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCS = sorted(ROOT.glob("docs/*.md"))
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *DOCS]


def links(page: Path) -> list[tuple[Path, str]]:
    """What a page links to inside the project: the file, and the heading or ''."""
    found = re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", page.read_text("utf-8"))
    return [((page.parent / name).resolve() if name else page, heading) for name, heading in found]


def anchors(page: Path) -> set[str]:
    """The headings as GitHub names them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_link_is_dead(page):
    for target, heading in links(page):
        assert target.exists(), target
        assert not heading or heading in anchors(target), (target, heading)


def test_readme_leads_to_every_page():
    assert {*DOCS} <= {target for target, _ in links(ROOT / "README.md")}


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.name)
def test_every_page_leads_on(page):
    assert {target for target, _ in links(page)} & ({*DOCS} - {page})


def test_the_pages_that_messages_name_are_there():
    for source in (*ROOT.glob("agent/**/*.py"), *ROOT.glob("harness/**/*.py")):
        for name in re.findall(r"\bdocs/[\w-]+\.\w+\b(?:\.\w+)?", source.read_text("utf-8")):
            assert (ROOT / name).exists(), f"{source}: {name}"
