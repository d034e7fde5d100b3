"""The command `airmile table`: every computed table has the columns that are described."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from airmile.store._derived_tables import TABLES
from tests.cli.conftest import PARALLEL, Airmile


@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_the_columns_that_the_schema_describes(
    airmile: Airmile, link: Path, name: str
) -> None:
    tail = ["--tail", "10"] if name in ("radio_on", "time_lost") else []
    said = airmile("table", link, name, *tail, "--format", "csv")
    assert said.code == 0, said.err
    described = airmile("schema", name, "--format", "csv").out
    names = [row["name"] for row in csv.DictReader(io.StringIO(described))]
    assert next(csv.reader(io.StringIO(said.out))) == names


def test_three_downloads_at_a_time_are_concurrent(airmile: Airmile) -> None:
    said = airmile("table", PARALLEL, "concurrency", "--format", "csv", "-q")
    most = max(int(row["flows"]) for row in csv.DictReader(io.StringIO(said.out)))
    assert (said.code, most) == (0, 3)


def test_a_name_that_is_no_table_is_answered_with_those_that_are(
    airmile: Airmile, link: Path
) -> None:
    said = airmile("table", link, "nothing")
    assert said.code == 2 and "periodic" in said.err


def test_what_the_data_lack_is_said(airmile: Airmile, link: Path) -> None:
    said = airmile("table", link, "radio_on")
    assert said.code == 2
    assert "no flow shows whether the radio was awake" in said.err
