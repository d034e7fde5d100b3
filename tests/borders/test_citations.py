"""A reader can open every source that code, documentation and tables cite."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import pytest

from airmile import _citations
from airmile.cli.schema import described
from tests.borders import known_sources
from tools import citations
from tools.citations import Found

PRIVATE = re.compile(
    r"\bverdict[ -]notes\b|\bdesign \d|\bpapers/\d|§|\b(rfc|ts) [\d.-]+ [a-z\d]\.\d", re.IGNORECASE
)
"""Documents that nobody outside can read, and places without the word "section" before them."""


def test_files_cite_what_there_is() -> None:
    assert list(faults(citations.in_files())) == []


def test_tables_and_parameters_cite_what_there_is() -> None:
    assert list(faults(citations.in_tables())) == []


def test_every_column_has_a_definition() -> None:
    without = [
        f"{table}.{column['name']}"
        for table, each in described()["tables"].items()
        for column in each["columns"]
        if column["definition"] is None
    ]
    assert without == []


def test_a_source_is_a_definition_or_a_place() -> None:
    found = list(citations.in_tables())
    defined = {each.place for each in found if each.citation.kind == "methods"}
    vague = [
        f"{each.place}: {each.citation.name}"
        for each in found
        if each.citation.kind == "paper" and not each.citation.part and each.place not in defined
    ]
    assert vague == []


def test_no_file_names_a_private_document() -> None:
    private = [
        f"{path.relative_to(citations.ROOT)}:{number}"
        for path in citations.texts()
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if PRIVATE.search(line)
    ]
    assert private == []


def test_every_definition_says_unit_source_and_example() -> None:
    for page in sorted((citations.ROOT / "docs" / "methods").glob("*.md")):
        for definition in re.split(r'^<a id="', page.read_text(), flags=re.MULTILINE)[1:]:
            title = definition.partition('"')[0]
            assert "\n**Source:** " in definition, f"{page.name}#{title}"
            assert "\n**Example:** " in definition, f"{page.name}#{title}"


def test_the_index_lists_every_definition() -> None:
    index = (citations.ROOT / "docs" / "methods.md").read_text()
    for page in sorted((citations.ROOT / "docs" / "methods").glob("*.md")):
        for anchor in citations.anchors(page):
            assert f"](methods/{page.name}#{anchor})" in index


@pytest.mark.parametrize(
    "wrong",
    [
        *("methods C99", "methods C2, C99", "methods J3", "methods B2'"),
        *("RFC 9293 section 3.11", "RFC 6298 section 12", "RFC 6298 sections 2 and 12"),
        *("TS 36.999 section 5.3.2", "TS 23.501"),
        *("LTE13 section 5.1", "LTE13, Fig 25", "BT19 section 3.9", "EFF14 table II"),
        *("HWY18 (section 5.9)", "LTE13's table 2"),
    ],
)
def test_a_wrong_citation_is_found(wrong: str) -> None:
    assert list(faults(Found("here", each) for each in _citations.references(wrong))) != []


@pytest.mark.parametrize(
    ("text", "opened"),
    [
        ("methods T1", "docs/methods/t-transfers.md#t1"),
        ("methods B1'", "docs/methods/b-latency.md#b1-prime"),
        ("methods G", "docs/methods/g-radio.md"),
        ("RFC 6298", "https://www.rfc-editor.org/rfc/rfc6298"),
        ("RFC 7323, appendix A", "https://www.rfc-editor.org/rfc/rfc7323#appendix-A"),
        ("TS 38.101-1 table 5.3.2-1", "https://www.3gpp.org/dynareport/38101-1.htm"),
        ("BT19, Fig 5", "https://doi.org/10.1145/3300061.3300140"),
    ],
)
def test_a_citation_has_an_address(text: str, opened: str) -> None:
    assert [_citations.address(each) for each in _citations.references(text)] == [opened]


def test_a_citation_goes_on_in_the_next_line() -> None:
    text, _ = citations.prose(["//! Its timer (RFC 6298", "//! section 2.1) fires."])
    assert [each.part for each in _citations.references(text)] == ["section 2.1"]


def test_words_are_no_citations() -> None:
    for text in ("methods A flow has", "The methods Of it", "methods in C2 form", "EFF140"):
        assert [each for each in _citations.references(text) if each.name != "A"] == []


def faults(found: Iterable[Found]) -> Iterator[str]:
    """Yield what citations name that does not exist."""
    for each in found:
        if not citations.is_defined(each.citation):
            yield f"{each.place}: methods {each.citation.name}"
        elif fault := known_sources.fault(each.citation):
            yield f"{each.place}: {fault}"
