"""Each definition of docs/methods has one place that computes it."""

from __future__ import annotations

import re
from collections import Counter

from tests.borders.owners import OWNERS, SHARED
from tools import citations

HEADING = re.compile(r"^### ([A-Z]\d+'?)\. ", re.MULTILINE)

NAMED = r"\b{}(?![\d'])"
"""A definition's number within a text."""


def test_each_definition_has_a_place() -> None:
    pages = sorted((citations.ROOT / "docs" / "methods").glob("*.md"))
    defined = [name for page in pages for name in HEADING.findall(page.read_text())]
    assert sorted(OWNERS) == sorted(defined)


def test_each_place_exists_and_names_its_definition() -> None:
    unnamed = [
        f"{definition}: {path}"
        for definition, places in OWNERS.items()
        for path in places
        if not re.search(NAMED.format(definition), (citations.ROOT / path).read_text())
    ]
    assert unnamed == []


def test_a_place_computes_one_definition_or_says_why_more() -> None:
    counted = Counter(path for places in OWNERS.values() for path in places)
    assert {path for path, count in counted.items() if count > 1} == set(SHARED)


def test_places_of_one_definition_compute_different_measures() -> None:
    for definition, places in OWNERS.items():
        assert len(set(places.values())) == len(places), definition
