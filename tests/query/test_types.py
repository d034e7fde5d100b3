"""Every type of SQL in every format: each value is read again by another program."""

from __future__ import annotations

import io

import duckdb
import pytest

from airmile.dataset import Dataset
from airmile.render import tables
from tests.query import readers
from tests.query.values import SINCE_DUCKDB_2, VALUES
from tests.support.handmade import flow, write
from tests.support.share import sample

COMBINATIONS = [(form, sql) for form in tables.FORMATS for sql in VALUES]
CHOSEN = sample(COMBINATIONS, few=90, what="combinations of a type and a format")


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Return a dataset of two flows."""
    flows = {"flows": [flow(1), flow(2)]}
    return Dataset(write(tmp_path_factory.mktemp("own") / "own.airmile", flows), threads=1)


def output(own: Dataset, form: str, sql: str) -> bytes:
    out = io.BytesIO()
    tables.write(own.sql(sql), tables.as_format(form), out)
    return out.getvalue()


def test_there_are_enough_combinations() -> None:
    assert len(COMBINATIONS) >= 651


@pytest.mark.parametrize(("form", "sql"), CHOSEN, ids=lambda each: each[:40])
def test_a_value_is_read_again_as_it_was(own: Dataset, form: str, sql: str) -> None:
    if duckdb.__version__ < "2" and sql in SINCE_DUCKDB_2:
        return
    query = f"SELECT 7 AS n, {sql} AS v UNION ALL SELECT 8, NULL UNION ALL SELECT 9, {sql}"
    names, rows = readers.read(form, output(own, form, query))
    assert names == ["n", "v"]
    value = VALUES[sql]
    nested = isinstance(value, list | dict)
    expected = [readers.written(form, each) for each in (value, None, value)]
    assert [str(n) for n, _ in rows] == ["7", "8", "9"]
    assert [readers.cell(form, v, nested) for _, v in rows] == expected
