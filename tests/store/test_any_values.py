"""Any value in any column, and any missing column: an answer or one sentence, and no traceback.

The dataset is sealed again, so that its digests fit; `AIRMILE_CASES` sets the number of cases.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

import airmile
from tests.cli.conftest import EMU
from tests.store.test_any_dataset import run_verb, steering
from tests.support import forged
from tests.support.share import cases

TABLES = [
    *("flows", "transfers", "slices", "sessions", "bandwidth_samples", "throughput"),
    *("bursts", "ttis", "rtt_samples", "in_flight_samples"),
]

VERBS = [
    *(["analyze", "{}", "--format", form] for form in ("text", "md", "json", "csv")),
    *(["analyze", "{}", "--flow", "1"], ["analyze", "{}", "--where", "server_port > 0"]),
    *(["flows", "{}"], ["query", "{}", "FROM flows"], ["radio", "{}"], ["verify", "{}"]),
    *(["plot", "{}", "--flow", "1", "-o", "{}.xpl"], ["testbed", "score", "{}"]),
    ["model", "what-if", "--from", "{}", "--draws", "10"],
]

EXTREMES: dict[str, list[Any]] = {
    "uint64": [0, 2**64 - 1],
    "uint16": [0, 2**16 - 1],
    "int64": [-(2**63), 2**63 - 1, 0, -1],
    "int32": [-(2**31), 2**31 - 1],
    "double": [float("nan"), float("inf"), -1e308, 1e308, 5e-324, 0.0],
    "bool": [True, False],
    "string": ["", "x\x1b\n\u202e|<b>", "a" * 10_000],
}
"""Extreme values by the name of the type; null is tried besides."""

CHANGE = st.tuples(st.integers(0, 999), st.integers(-1, 9), st.booleans())
"""The column by its position, the value (-1: the column is missing), and whether in all rows."""


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a dataset of a capture and a modem's log, with samples, without sums."""
    run = EMU / "a_link_cubic"
    out = tmp_path_factory.mktemp("values") / "w.airmile"
    capture, log = run / "monitor.pcap.gz", run / "modem_dl.csv.gz"
    return airmile.analyze(capture, modem=log, out=out, samples=True).path


@cases(few=5, whole=100)
@given(
    table=st.sampled_from(TABLES),
    changes=st.lists(CHANGE, min_size=1, max_size=4),
    verbs=st.lists(st.sampled_from(VERBS), min_size=2, max_size=3),
)
def test_any_values_are_answered(
    dataset: Path, table: str, changes: list[tuple[int, int, bool]], verbs: list[list[str]]
) -> None:
    copy = dataset.with_name("copy.airmile")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(dataset, copy)
    part = copy / table / "part-0.parquet"
    rows = parquet.read_table(part, partitioning=None)
    for change in changes:
        rows = changed(rows, *change)
    parquet.write_table(rows, part)
    seal(copy)
    for verb in verbs:
        code, shown = run_verb([word.format(copy) for word in verb])
        # 2: there is no flow 1, or nothing to draw from.
        assert code in (0, 1, 2, 3), shown
        # Wrong tables are not reported as an error of the command line.
        assert not (code == 2 and "Error:" in shown), shown
        if verb[:2] != ["query", "{}"] and verb[-1] != "csv":
            assert steering(shown) == []


def filled(dataset: Path, table: str, column: str, value: object) -> Path:
    """Return a copy in which a column holds one value."""
    copy = dataset.with_name("filled.airmile")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(dataset, copy)
    part = copy / table / "part-0.parquet"
    rows = parquet.read_table(part, partitioning=None)
    place = rows.column_names.index(column)
    one = pa.array([value] * rows.num_rows, rows.schema.field(place).type)
    parquet.write_table(rows.set_column(place, column, one), part)
    seal(copy)
    return copy


def test_what_is_no_number_is_unknown(dataset: Path) -> None:
    copy = filled(dataset, "bursts", "throughput_time_ms", float("nan"))
    code, shown = run_verb(["radio", str(copy)])
    assert (code, "nan" in shown.lower()) == (0, False)


def test_tables_that_cannot_be_added_up_are_no_fault_of_a_condition(dataset: Path) -> None:
    copy = filled(dataset, "slices", "start_ns", -(2**63))
    for option in (["--flow", "1"], ["--where", "server_port > 0"]):
        code, shown = run_verb(["analyze", str(copy), *option])
        assert (code, "not as airmile writes them" in shown) == (3, True)
    assert run_verb(["analyze", str(copy), "--where", "server::INT > 0"])[0] == 2


def seal(dataset: Path) -> None:
    manifest = json.loads((dataset / "manifest.json").read_text())
    shown = {key: manifest[key] for key in manifest if key not in ("verdict", "rows")}
    forged.write(dataset, shown)


def changed(rows: pa.Table, column: int, value: int, all_rows: bool) -> pa.Table:
    """Fill a column with an extreme or null, in all rows or in every third, or remove it."""
    place = column % rows.num_columns
    field = rows.schema.field(place)
    if value < 0:
        return rows.drop_columns([field.name]) if rows.num_columns > 1 else rows
    values = [*EXTREMES.get(str(field.type), []), None]
    filled = pa.scalar(values[value % len(values)], field.type)
    old = rows[place].to_pylist()
    new = [filled.as_py() if all_rows or at % 3 == 0 else known for at, known in enumerate(old)]
    return rows.set_column(place, field.name, pa.array(new, field.type))
