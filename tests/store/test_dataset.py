"""Queries of a dataset: the memory of an answer, and the error when it takes more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from airmile._errors import OutputError, UsageError
from airmile.dataset import Dataset
from airmile.store import _queries
from tests.support.handmade import flow, write

MANY = "SELECT quantile_cont(random(), 0.5) >= 0 AS found FROM range(3000000)"
"""A query that takes some 50 MB; quantiles do not use the temporary folder."""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Dataset:
    """Return a dataset whose queries may take 20 MB."""
    monkeypatch.setattr(_queries.Queries, "_verdict_bytes", 20_000_000)
    return Dataset(write(tmp_path / "hand.airmile", {"flows": [flow(1)]}), threads=1)


def give(monkeypatch: pytest.MonkeyPatch, **settings: Any) -> None:
    """Open DuckDB with settings that cannot be changed afterwards."""
    connect = duckdb.connect

    def with_settings(config: dict[str, Any]) -> duckdb.DuckDBPyConnection:
        connection = connect(config=config)
        for name, value in settings.items():
            connection.execute(f"SET {name} = '{value}'")
        return connection

    monkeypatch.setattr(duckdb, "connect", with_settings)


def test_a_verdict_that_needs_more_memory_than_it_should_takes_it(own: Dataset) -> None:
    assert own.records(MANY) == [{"found": True}]


def test_lack_of_memory_is_reported_as_the_machines_limit(
    own: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, memory_limit="20MB")
    with pytest.raises(OutputError, match="Out of Memory") as caught:
        own.sql(MANY)
    assert "TMPDIR" in (caught.value.hint or "")
    with pytest.raises(OutputError):
        own.records(MANY)


def test_a_full_temporary_folder_is_reported_as_the_machines_limit(
    own: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, memory_limit="20MB", max_temp_directory_size="1MB")
    with pytest.raises(OutputError):
        own.sql("SELECT random() AS number FROM range(3000000) ORDER BY number")


def test_what_does_not_fit_goes_to_the_temporary_folder(
    own: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spilled = tmp_path / "spilled"
    monkeypatch.setattr("airmile.store._scratch.fresh", lambda: spilled)
    give(monkeypatch, memory_limit="20MB")
    number = own.sql("SELECT random() AS number FROM range(3000000) ORDER BY number")
    assert number.num_rows == 3000000
    assert spilled.is_dir()


@pytest.mark.parametrize("value", ["parquet.apache.org", "zstd", "corrupt"])
def test_a_value_is_no_sign_of_damage(own: Dataset, value: str) -> None:
    with pytest.raises(UsageError, match="convert"):
        own.sql(f"SELECT '{value}'::INTEGER AS wrong")


def test_a_query_that_fails_at_its_rows_is_a_wrong_query(own: Dataset) -> None:
    with pytest.raises(UsageError, match="convert"):
        own.sql("SELECT (uid::VARCHAR || 'x')::INTEGER AS wrong FROM flows")
