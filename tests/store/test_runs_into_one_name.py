"""Several runs that write to one name: one of them gets it, and the others say what they left."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

import airmile
from tests.cli.conftest import LINK

RUNS = 4


def outcomes(out: Path, *, overwrite: bool) -> list[airmile.Dataset | airmile.AirmileError]:
    begin = Barrier(RUNS)

    def run(_: int) -> airmile.Dataset | airmile.AirmileError:
        begin.wait()
        try:
            return airmile.analyze(LINK, out=out, overwrite=overwrite, threads=1)
        except airmile.AirmileError as error:
            return error

    with ThreadPoolExecutor(RUNS) as pool:
        return list(pool.map(run, range(RUNS)))


@pytest.mark.parametrize("overwrite", [False, True])
def test_what_is_left_is_one_dataset_and_what_errors_name(tmp_path: Path, overwrite: bool) -> None:
    out = tmp_path / "one.airmile"
    found = outcomes(out, overwrite=overwrite)
    errors = [each for each in found if isinstance(each, airmile.AirmileError)]
    assert len(errors) < RUNS
    assert overwrite or len(errors) == RUNS - 1
    assert all(error.hint for error in errors)
    assert airmile.open(out).verdict.limited_by == "lte_downlink"
    for left in tmp_path.iterdir():
        assert left == out or any(left.name in str(error) for error in errors), left
