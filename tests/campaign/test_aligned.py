"""The dataset that the campaign lte13-bandwidth makes: the runs that count, each aligned once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import airmile
from airmile import Dataset
from airmile.campaign.known.lte13_bandwidth import aligned
from tests.support import made

NAMES = ("download-1", "download-2", "download-3")


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the runs that were aligned; each becomes a dataset."""
    found: list[str] = []

    def align(phone: Path, server: Path, *, out: Path) -> None:
        assert (phone.name, server.name) == ("ue.pcap", "server.pcap")
        assert phone.parent == server.parent
        found.append(phone.parent.name)
        made.write(out, e5=[])

    monkeypatch.setattr(airmile, "align", align)
    return found


def test_only_runs_that_count_are_aligned_and_each_once(tmp_path: Path, calls: list[str]) -> None:
    runs, out = tmp_path / "runs", tmp_path / "derived"
    for name in NAMES:
        made.write(runs / f"{name}.airmile", flows=[])
    keep(runs, NAMES)
    aligned(Dataset(runs, runs=NAMES[:2]), out)
    assert calls == ["download-1.airmile", "download-2.airmile"]
    assert listed(out) == ["download-1.airmile", "download-2.airmile"]
    aligned(Dataset(runs), out)
    assert calls == [f"{name}.airmile" for name in NAMES]
    assert listed(out) == [f"{name}.airmile" for name in NAMES]


def test_an_alignment_outlives_a_choice_without_its_run_but_not_the_run(
    tmp_path: Path, calls: list[str]
) -> None:
    runs, out = tmp_path / "runs", tmp_path / "derived"
    for name in NAMES:
        made.write(runs / f"{name}.airmile", flows=[])
    keep(runs, NAMES)
    aligned(Dataset(runs), out)
    keep(runs, NAMES[:2])
    aligned(Dataset(runs, runs=NAMES[:1]), out)
    assert listed(out) == ["download-1.airmile"]
    assert sorted(each.name for each in out.glob("*.airmile")) == [
        "download-1.airmile", "download-2.airmile"
    ]  # fmt: skip


def keep(folder: Path, names: Sequence[str]) -> None:
    """Write the manifest of a folder of runs."""
    runs = [f"{name}.airmile" for name in names]
    made_by = {"schema": 1, "tool": "airmile", "version": airmile.__version__}
    manifest = {**made_by, "runs": runs, "planned": []}
    (folder / "manifest.json").write_text(json.dumps(manifest))


def listed(out: Path) -> list[str]:
    """Return the runs of a dataset by its manifest."""
    runs: list[str] = json.loads((out / "manifest.json").read_text())["runs"]
    return runs
