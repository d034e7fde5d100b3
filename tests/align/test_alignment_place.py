"""Where `align` puts its dataset, and what it replaces there."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import airmile
from airmile._errors import OutputError, UsageError
from airmile.store import _manifest

LINK = Path(__file__).parents[1] / "data" / "emu" / "a_link_cubic" / "monitor.pcap.gz"
PHONE = LINK.with_name("ue.pcap.gz")


def seal(dataset: Path) -> object:
    return airmile.open(dataset).manifest[_manifest.SEAL]


def before_the_move(monkeypatch: pytest.MonkeyPatch, act: Callable[[Path], object]) -> None:
    """Call a function with the folder of the new dataset when it has its manifest."""
    write = _manifest.write

    def written(folder: Path, manifest: dict[str, object]) -> None:
        write(folder, manifest)
        act(folder)

    monkeypatch.setattr(_manifest, "write", written)


def test_a_dataset_that_appeared_meanwhile_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, other = tmp_path / "x.airmile", tmp_path / "other.airmile"
    airmile.align(PHONE, LINK, out=other)
    before_the_move(monkeypatch, lambda _: shutil.copytree(other, out))
    with pytest.raises(OutputError, match="exists"):
        airmile.align(LINK, PHONE, out=out)
    assert seal(out) == seal(other)


def test_an_analysis_that_appeared_meanwhile_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "x.airmile"
    before_the_move(monkeypatch, lambda _: airmile.analyze(LINK, out=out))
    with pytest.raises(UsageError, match="not the dataset of an alignment"):
        airmile.align(PHONE, LINK, out=out, overwrite=True)
    assert "flows" in airmile.open(out).tables


def test_behind_a_link_it_is_made_on_the_file_system_of_the_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = tmp_path / "there"
    airmile.align(PHONE, LINK, out=there / "x.airmile")
    before, link = seal(there / "x.airmile"), tmp_path / "x.airmile"
    link.symlink_to(there / "x.airmile")
    made: list[Path] = []
    before_the_move(monkeypatch, lambda folder: made.append(folder.parent.parent))
    assert airmile.align(LINK, PHONE, out=link, overwrite=True).path == link
    assert made == [there] and link.is_symlink()
    assert seal(there / "x.airmile") != before
