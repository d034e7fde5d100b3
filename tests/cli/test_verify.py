"""The command `airmile verify` accepts a dataset of airmile, and finds changes in it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyarrow import parquet

from airmile.store import _manifest
from airmile.verbs._verify import verify
from tests.cli.conftest import Airmile


@pytest.fixture
def copy(link: Path, tmp_path: Path) -> Path:
    """Return a copy to change."""
    return shutil.copytree(link, tmp_path / "copy.airmile")


def change(dataset: Path, table: str, column: str, edit: Callable[[pa.Array], pa.Array]) -> None:
    """Replace a column and seal the dataset again, as if airmile had written it wrongly."""
    file = dataset / table / "part-0.parquet"
    rows = parquet.read_table(file, partitioning=None)
    place = rows.column_names.index(column)
    field = rows.schema.field(place)
    changed = edit(rows[column])
    if changed.type == field.type:
        changed = pa.chunked_array([changed.combine_chunks()])
    parquet.write_table(rows.set_column(place, column, changed), file)
    _manifest.write(dataset, _manifest.read(dataset))


def test_what_airmile_wrote_is_whole(airmile: Airmile, link: Path) -> None:
    said = airmile("verify", link)
    assert (said.code, said.err) == (0, "")
    assert said.out.endswith("complete; the verdict agrees with the tables\n")


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"interrupted": True}, "partial: the run was interrupted"),
        ({"status": "partial", "reasons": ["x.pcap: cut"]}, "partial: x.pcap: cut"),
    ],
)
def test_a_partial_dataset_is_not_called_complete(
    airmile: Airmile, copy: Path, state: dict[str, object], said: str
) -> None:
    _manifest.write(copy, {**_manifest.read(copy), **state})
    assert said in airmile("verify", copy).out


def test_a_changed_byte_is_named(airmile: Airmile, copy: Path) -> None:
    part = copy / "slices" / "part-0.parquet"
    data = bytearray(part.read_bytes())
    data[100] ^= 1
    part.write_bytes(data)
    said = airmile("verify", copy)
    assert said.code == 1
    assert "slices/part-0.parquet: damaged: its digest is not that in the manifest" in said.out


def test_a_damaged_manifest_is_one_sentence(airmile: Airmile, copy: Path) -> None:
    file = copy / "manifest.json"
    file.write_bytes(file.read_bytes().replace(b'"monitor"', b'"mpnitor"', 1))
    said = airmile("verify", copy)
    assert (said.code, said.out) == (3, "")
    assert "damaged" in said.err
    assert "hint: " in said.err


def nan(column: pa.Array) -> pa.Array:
    return pc.add(column, float("nan"))


CHANGES: dict[str, tuple[str, str, Callable[[pa.Array], pa.Array]]] = {
    "rtt_ms is not a finite number": ("slices", "rtt_ms", nan),
    "bytes is negative": ("slices", "bytes", lambda c: pc.subtract(-1, pc.abs(c))),
    "ends before it begins": ("slices", "end_ns", lambda c: pc.subtract(c, 10**12)),
    "start_ns is outside of the capture": ("slices", "start_ns", lambda c: pc.multiply(c, 0)),
    "uid is not unique": ("flows", "uid", lambda c: c),
    "do not add up to 1": ("transfers", "share_lte_downlink", lambda c: pc.add(c, 0.5)),
    "column cause is INTEGER": ("slices", "cause", lambda c: pc.cast(pc.utf8_length(c), "int32")),
    "are not what the tables add up to": ("slices", "end_ns", lambda c: pc.subtract(c, 1)),
}


@pytest.mark.parametrize("said", CHANGES)
def test_what_cannot_be_is_named(copy: Path, said: str) -> None:
    table, column, edit = CHANGES[said]
    if "unique" in said:
        file = copy / "flows" / "part-0.parquet"
        rows = parquet.read_table(file, partitioning=None)
        parquet.write_table(pa.concat_tables([rows, rows]), file)
    change(copy, table, column, edit)
    assert any(said in finding.fault for finding in verify(copy))


def test_a_dataset_without_digests_is_said_to_be(copy: Path) -> None:
    manifest = _manifest.read(copy)
    del manifest["parts"]
    _manifest.put(copy, manifest)
    assert [finding.fault for finding in verify(copy)] == ["lists no digests: an older airmile"]
