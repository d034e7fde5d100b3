"""A damaged dataset gives the right answer, or one sentence that names the damage."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import airmile
from airmile import InputError
from airmile.dataset import Dataset
from tests.cli.conftest import EMU

FLIPS = 4
"""The number of damages to each table; the manifest gets as many as all tables together."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Return a dataset of a capture and a modem's log."""
    run = EMU / "a_link_cubic"
    out = tmp_path_factory.mktemp("whole") / "w.airmile"
    return airmile.analyze(run / "monitor.pcap.gz", modem=run / "modem_dl.csv.gz", out=out)


@pytest.fixture
def copy(whole: Dataset, tmp_path: Path) -> Path:
    """Return a copy to damage."""
    return shutil.copytree(whole.path, tmp_path / "copy.airmile")


def answers(path: Path, table: str) -> tuple[object, ...]:
    """Read rows in every way, and the verdict."""
    opened = airmile.open(path)
    rows = opened.table(table)
    chosen = opened.where("true")
    return (
        rows,
        opened.sql(f'SELECT count(*) FROM "{table}"'),
        opened.sql(f'SELECT max(COLUMNS(*)) FROM "{table}"') if rows.num_rows else None,
        opened.rows(table),
        opened.columns(table),
        opened.verdict.to_dict(),
        chosen.table(table),
    )


def answer(path: Path, table: str) -> str | tuple[object, ...]:
    """Return the answers, or the error's sentence."""
    try:
        return answers(path, table)
    except InputError as error:
        assert error.hint and "\n" not in error.message
        return error.message


def flip(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1 :]


def cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def swell(data: bytes, chance: random.Random) -> bytes:
    return data + chance.randbytes(chance.randrange(1, 100))


def test_a_part_that_is_gone_is_called_missing(whole: Dataset, copy: Path) -> None:
    part = copy / "flows" / "part-0.parquet"
    opened = Dataset(copy)
    part.unlink()
    for said in (answer(copy, "flows"), message(opened)):
        assert "flows/part-0.parquet" in said and "missing" in said
        assert "damaged" not in said


def message(dataset: Dataset) -> str:
    """Return the error after a part was removed from an open dataset."""
    with pytest.raises(InputError) as refused:
        dataset.sql("FROM flows")
    assert refused.value.hint is not None and "copy the dataset" not in refused.value.hint
    return refused.value.message


@pytest.mark.parametrize("harm", [flip, cut, swell])
def test_damage_to_a_part_is_reported(
    whole: Dataset, copy: Path, harm: Callable[[bytes, random.Random], bytes]
) -> None:
    chance = random.Random(harm.__name__)
    for table in whole.tables:
        part = copy / table / "part-0.parquet"
        before = part.read_bytes()
        for _ in range(FLIPS):
            part.write_bytes(harm(before, chance))
            said = answer(copy, table)
            assert isinstance(said, str), table
            assert f"{table}/part-0.parquet: damaged: " in said
        part.write_bytes(before)
    assert answer(copy, "flows") == answer(whole.path, "flows")


@pytest.mark.parametrize("harm", [flip, cut, swell])
def test_damage_to_the_manifest_is_reported(
    whole: Dataset, copy: Path, harm: Callable[[bytes, random.Random], bytes]
) -> None:
    chance = random.Random(harm.__name__)
    file = copy / "manifest.json"
    before = file.read_bytes()
    for _ in range(FLIPS * len(whole.tables)):
        file.write_bytes(harm(before, chance))
        with pytest.raises(InputError) as raised:
            airmile.open(copy)
        assert raised.value.hint
        assert "\n" not in raised.value.message


def test_damage_to_a_table_that_is_not_read_hinders_nobody(whole: Dataset, copy: Path) -> None:
    part = copy / "ttis" / "part-0.parquet"
    data = bytearray(part.read_bytes())
    data[len(data) // 2] ^= 1
    part.write_bytes(data)
    assert airmile.open(copy).sql("FROM slices") == whole.sql("FROM slices")
    with pytest.raises(InputError, match="ttis"):
        airmile.open(copy).sql("FROM query_table('tt' || 'is')")


def test_a_missing_table_is_reported(copy: Path) -> None:
    shutil.rmtree(copy / "slices")
    with pytest.raises(InputError, match=r"slices/part-0\.parquet"):
        airmile.open(copy)
