"""Golden cases in two files: ``NAME.sql`` (title, capture, query) and ``NAME.csv`` (the rows).

The first lines of the query are comments: what must hold and how it is known, then
``-- input: PATH`` below ``tests/data``. Queries round what a change of the last bit may move.
``pytest tests/cases --update-cases`` writes what comes out now: read the difference before you
commit it.
"""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import airmile
from airmile.render import tables

CASES = sorted(Path(__file__).parent.glob("*.sql"))
DATA = Path(__file__).parents[1] / "data"


@pytest.fixture(scope="module")
def datasets(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, airmile.Dataset]:
    """Keep the dataset of each capture, because several cases query the same one."""
    return {}


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.stem))
def test_case(
    case: Path,
    datasets: dict[Path, airmile.Dataset],
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    query = case.read_text()
    capture = DATA / _input(query)
    if capture not in datasets:
        datasets[capture] = airmile.analyze(capture, out=tmp_path / "case.airmile", samples=True)
    found = io.BytesIO()
    tables.write(datasets[capture].sql(query), "csv", found)
    golden = case.with_suffix(".csv")
    if request.config.getoption("--update-cases"):
        golden.write_bytes(found.getvalue())
    assert found.getvalue().decode() == golden.read_text()


def _input(query: str) -> str:
    lines = (line.removeprefix("-- input:") for line in query.splitlines() if "-- input:" in line)
    return next(lines).strip()
