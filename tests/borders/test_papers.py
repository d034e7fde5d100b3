"""docs/papers.md has a line for each figure and table of the papers, and for each exhibit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from airmile.study import EXHIBITS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "papers.md").read_text()

PRINTED = {"lte13": (24, 1), "up16": (9, 0), "eff14": (6, 1), "bt19": (9, 1), "hwy18": (17, 1)}
"""The numbers of figures and of tables that each paper prints."""


def lines(study: str) -> dict[str, str]:
    """Return where each exhibit of a paper is defined, by its name in the paper."""
    part = PAGE.split(f"## {study.upper()}: ")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ([a-z]+(?: \d+)?) \| [^|]+ \| (.+) \|$", part, re.MULTILINE)
    return {name: where for name, where in rows if name != "exhibit"}


@pytest.mark.parametrize("study", PRINTED)
def test_each_figure_and_table_of_a_paper_has_a_line(study: str) -> None:
    figures, tables = PRINTED[study]
    names = [f"figure {n}" for n in range(1, figures + 1)]
    names += [f"table {n}" for n in range(1, tables + 1)]
    assert set(names) <= set(lines(study))


@pytest.mark.parametrize("study", PRINTED)
def test_the_exhibits_named_are_those_that_there_are(study: str) -> None:
    named = re.findall(rf"`{study} (\w+)`", " ".join(lines(study).values()))
    assert sorted(set(named)) == sorted(EXHIBITS[study])


@pytest.mark.parametrize("study", PRINTED)
def test_what_is_not_made_has_its_reason(study: str) -> None:
    for name, where in lines(study).items():
        assert "`" in where or re.match(r"not made: \S", where), name


def test_experiments_that_are_named_exist() -> None:
    folder = ROOT / "python" / "airmile" / "testbed" / "experiments"
    for name in re.findall(r"`((?:eff14|bt19)_\w+)`", PAGE):
        assert (folder / f"{name}.toml").is_file(), name
