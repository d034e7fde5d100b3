"""Every link of the documentation within the project leads to a file, and to a heading in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "crates").rglob("*.md")),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md")),
]

_LINK = re.compile(r"\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(([^()\s]+)\)")
_HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)
_ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert [link for link in links(page.read_text()) if not leads(page, link)] == []


@pytest.mark.parametrize(
    "wrong",
    ["guide.md#no-such-heading", "no_such_page.md", "methods/c-queues.md#c99", "#no-such-heading"],
)
def test_a_wrong_link_is_found(wrong: str) -> None:
    assert list(links(f"see [a page]({wrong})")) == [wrong]
    assert not leads(ROOT / "docs" / "methods.md", wrong)


@pytest.mark.parametrize("right", ["methods/c-queues.md#c2", "papers.md", "#the-papers", "#up16"])
def test_a_right_link_is_right(right: str) -> None:
    assert leads(ROOT / "docs" / "methods.md", right)


def test_an_anchor_is_there_once() -> None:
    for page in PAGES:
        set_by_hand = _ANCHOR.findall(page.read_text())
        assert len(set_by_hand) == len(set(set_by_hand)), page


def links(text: str) -> Iterator[str]:
    """Return the links of a page to places within the project; links in code do not count."""
    for link in _LINK.findall(_CODE.sub("", text)):
        if not re.match(r"[a-z]+:", link):
            yield link


def leads(page: Path, link: str) -> bool:
    """Return whether a link of a page leads to an existing file or folder, and to an anchor."""
    name, _, anchor = link.partition("#")
    target = (page.parent / name).resolve() if name else page
    if not target.exists() or not target.is_relative_to(ROOT):
        return False
    return not anchor or anchor in anchors(target.read_text())


def anchors(text: str) -> set[str]:
    """Return the anchors of a page: its headings as GitHub writes them, and explicit anchors."""
    titles = _HEADING.findall(re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))
    return {slug(title) for title in titles} | set(_ANCHOR.findall(text))


def slug(title: str) -> str:
    """Return the anchor of a heading.

    >>> slug("What a `shell` has, and A/B")
    'what-a-shell-has-and-ab'
    """
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).lower()
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
