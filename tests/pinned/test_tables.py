"""The scores of the recorded sets equal the recorded tables, line by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pinned.table import Table
from tests.pinned.tables import TABLES

LONG = {"quantities", "link_demand", "clocks", "taps_cut"}
"""Tables that are computed in `make check-all` alone: the estimates of each run and modem log, and
what is said of captures that were cut."""

EVERY = [
    pytest.param(table, id=table.name, marks=[pytest.mark.whole] if table.name in LONG else [])
    for table in TABLES
]


@pytest.mark.parametrize("table", EVERY)
def test_every_line_is_as_it_was_recorded(table: Table) -> None:
    assert table.recorded(), f"{table.path.name} is missing or empty"
    differences = table.differences(table.lines())
    assert not differences, "\n".join(
        [f"{table.path.name}:", *differences, f"python -m tests.pinned --write {table.name}"]
    )


def test_every_recorded_table_is_compared() -> None:
    assert {table.name for table in TABLES} >= LONG
    recorded = {path.stem for path in Path(__file__).parent.glob("*.csv")}
    assert recorded == {table.name for table in TABLES}
