"""Footers with false statements about the rows may give a wrong answer, but no crash.

`verify` finds them. The bytes of a number are replaced in the footer of a part, and the dataset is
sealed again, so that all digests fit.
"""

from __future__ import annotations

import shutil
import struct
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from pyarrow import parquet

import airmile
from airmile import InputError
from airmile.store import _manifest
from airmile.verbs._verify import verify
from tests.cli.conftest import LINK
from tests.support.share import sample

PART = Path("slices", "part-0.parquet")
MOST, LEAST = 2**63 - 1, -(2**63)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the dataset of a download."""
    return airmile.analyze(LINK, out=tmp_path_factory.mktemp("whole") / "w.airmile").path


@pytest.fixture
def forged(whole: Path, tmp_path: Path) -> Path:
    """Return a copy to forge."""
    return shutil.copytree(whole, tmp_path / "forged.airmile")


def bounds(dataset: Path, least: int | None = None, most: int | None = None) -> None:
    """Write another least and greatest `start_ns`."""
    part = dataset / PART
    shown = parquet.read_metadata(part).row_group(0)
    column = next(
        shown.column(at)
        for at in range(shown.num_columns)
        if shown.column(at).path_in_schema == "start_ns"
    )
    for old, new in ((column.statistics.min, least), (column.statistics.max, most)):
        if new is not None:
            _forge(dataset, struct.pack("<q", old), struct.pack("<q", new), slice(None))


def counts(dataset: Path, change: int, wanted: slice) -> None:
    """Write another number of rows at some places: the file, its columns, its row group."""
    rows = parquet.read_metadata(dataset / PART).num_rows
    _forge(dataset, _counted(rows), _counted(rows + change), wanted)


def _counted(number: int) -> bytes:
    """Return a number as a footer has it: as a zigzag varint (Thrift's compact protocol)."""
    assert 64 <= number < 8192
    return bytes([2 * number & 0x7F | 0x80, 2 * number >> 7])


def _forge(dataset: Path, old: bytes, new: bytes, wanted: slice) -> None:
    part = dataset / PART
    data = part.read_bytes()
    begin = len(data) - 8 - struct.unpack("<I", data[-8:-4])[0]
    footer = bytearray(data[begin:])
    found = [at for at in range(len(footer)) if footer.startswith(old, at)][wanted]
    assert found
    for at in found:
        footer[at : at + len(old)] = new
    part.write_bytes(data[:begin] + footer)
    _manifest.write(dataset, _manifest.read(dataset))


FORGERIES: dict[str, Callable[[Path], None]] = {
    "the least is beyond the largest": partial(bounds, least=MOST - 1),
    "the bounds leave out all rows": partial(bounds, least=1, most=2),
    "the bounds are the wrong way round": partial(bounds, least=MOST, most=LEAST),
    "the largest is less than the least": partial(bounds, most=0),
    "the file has more rows": partial(counts, change=1000, wanted=slice(0, 1)),
    "the file has fewer rows": partial(counts, change=-30, wanted=slice(0, 1)),
    "the group has more rows": partial(counts, change=1000, wanted=slice(-1, None)),
    "the group has fewer rows": partial(counts, change=-30, wanted=slice(-1, None)),
    "a column has more rows": partial(counts, change=1000, wanted=slice(1, 2)),
    "a column has fewer rows": partial(counts, change=-30, wanted=slice(1, 2)),
    "everything has more rows": partial(counts, change=1000, wanted=slice(None)),
    "everything has fewer rows": partial(counts, change=-30, wanted=slice(None)),
}

TRIED = sample(FORGERIES, few=4, what="forged footers")

QUERIES = (
    "FROM slices WHERE start_ns > 0",
    "SELECT min(start_ns), max(start_ns), count(*) FROM slices",
    "SELECT start_ns, count(*) FROM slices GROUP BY ALL ORDER BY ALL",
    "SELECT count(*) FROM slices a JOIN slices b USING (start_ns)",
    "SELECT quantile_cont(start_ns - end_ns, 0.5) FROM slices",
    "SUMMARIZE slices",
)


def questions(path: Path) -> Iterator[Callable[[], object]]:
    """Give each way in which rows are read."""
    yield from (partial(airmile.open(path).sql, query) for query in QUERIES)
    yield lambda: airmile.open(path).slices
    yield lambda: airmile.open(path).where("uid > 0").slices
    yield lambda: airmile.open(path).where("uid > 0").verdict.to_dict()


@pytest.mark.parametrize("forgery", TRIED)
def test_a_footer_that_is_not_true_crashes_nothing(forged: Path, forgery: str) -> None:
    FORGERIES[forgery](forged)
    for ask in questions(forged):
        try:
            ask()
        except InputError as error:
            assert "\n" not in error.message


@pytest.mark.parametrize("forgery", TRIED)
def test_verify_finds_it(forged: Path, forgery: str) -> None:
    assert list(verify(forged)) == []
    FORGERIES[forgery](forged)
    assert any("slices" in finding.where for finding in verify(forged))
