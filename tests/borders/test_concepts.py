"""Pages about concepts: the list links to each, their links work, and their examples run."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from airmile.causes import every

CONCEPTS = Path(__file__).parents[2] / "docs" / "concepts"
PAGES = sorted(CONCEPTS.glob("*.md"))

LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def test_every_page_is_in_a_list() -> None:
    index, causes = CONCEPTS.with_suffix(".md"), CONCEPTS.parent / "reference" / "causes.md"
    listed = {
        (file.parent / link).resolve()
        for file in (index, causes)
        for link in LINK.findall(file.read_text())
    }
    assert set(PAGES) <= listed


def test_every_cause_has_a_page() -> None:
    assert set(every()) <= {page.stem for page in PAGES}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.stem))
def test_links_lead_somewhere(page: Path) -> None:
    links = LINK.findall(page.read_text())
    assert links
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_examples_of_protocol_efficiency_run() -> None:
    page = CONCEPTS / "protocol_efficiency.md"
    # A doctest reads the fence below an example as what it prints.
    text = page.read_text().replace("\n```", "\n\n")
    examples = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    assert examples.examples
    said: list[str] = []
    doctest.DocTestRunner().run(examples, out=said.append)
    assert not said, "".join(said)
