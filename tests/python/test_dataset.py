"""Asking a dataset: what memory an answer may take, and what comes when it takes more."""

from __future__ import annotations

from pathlib import Path

import pytest

from airmile import dataset
from airmile._errors import OutputError, UsageError
from airmile.dataset import Dataset
from tests.handmade import flow, write

MANY = "SELECT quantile_cont(random(), 0.5) >= 0 AS found FROM range(3000000)"
"""It takes some 50 MB, and quantiles do not go to the temporary folder."""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Dataset:
    """Return a dataset whose verdict has 20 MB."""
    monkeypatch.setattr(dataset, "VERDICT_MEMORY", "20MB")
    return Dataset(write(tmp_path / "hand.airmile", {"flows": [flow(1)]}), threads=1)


def limit(of: Dataset) -> str:
    return str(of.sql("SELECT current_setting('memory_limit') AS it")["it"][0].as_py())


def test_a_verdict_that_needs_more_memory_than_it_should_takes_it(own: Dataset) -> None:
    assert own._rows(MANY) == [{"found": True}]


def test_what_no_memory_holds_is_told_as_the_machines_limit(own: Dataset) -> None:
    own.sql("SET memory_limit = '20MB'")
    with pytest.raises(OutputError, match="Out of Memory") as caught:
        own.sql(MANY)
    assert "TMPDIR" in (caught.value.hint or "")
    with pytest.raises(OutputError):
        own._rows(MANY)


def test_a_full_temporary_folder_is_told_as_the_machines_limit(own: Dataset) -> None:
    own.sql("SET memory_limit = '20MB'")
    own.sql("SET max_temp_directory_size = '1MB'")
    with pytest.raises(OutputError):
        own.sql("SELECT random() AS number FROM range(3000000) ORDER BY number")


def test_a_memory_limit_that_somebody_set_stays(own: Dataset) -> None:
    own.sql("SET memory_limit = '1GB'")
    assert limit(own) == "953.6 MiB"
    assert own._rows("SELECT count(*) AS flows FROM flows") == [{"flows": 1}]
    assert limit(own) == "953.6 MiB"


def test_a_query_that_fails_at_its_rows_is_a_wrong_query(own: Dataset) -> None:
    with pytest.raises(UsageError, match="convert"):
        own.sql("SELECT (uid::VARCHAR || 'x')::INTEGER AS wrong FROM flows")
