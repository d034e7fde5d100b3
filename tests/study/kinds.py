"""Datasets of each kind that people have, from recorded captures, for every exhibit.

``python -m tests.study.kinds`` prints which exhibits each kind gives, and why not the others; the
test `test_kinds` compares that with `kinds.csv`, which a reader judged who knows the papers.
"""

from __future__ import annotations

import csv
import functools
import io
import json
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import airmile as am
from airmile.store import _manifest
from airmile.study import EXHIBITS, Exhibit, Missing
from tests.study.phones import Captures
from tests.support import taps

DATA = Path(__file__).parents[1] / "data" / "emu"
GOLDEN = Path(__file__).parent / "kinds.csv"

SEEN = ("a_link_cubic", "c_rwnd", "e_proxy_ssr", "f1_loss_fastrec", "f2_loss_rto")
"""The experiments that were recorded at the phone, at a monitor and at the server."""

RUN = "t22_dash"
"""A run of the testbed: its capture, its modem log and the truth of its link."""

CUT = slice(2000, 6000)
"""The packets that are left of a capture that begins and ends within a transfer."""

DRAWN = "drawn"

KINDS = ("run", "several phones", "monitor", "phone", "server", "cut", "empty")
"""A run of the testbed, a capture of several phones, several captures at each place, and others."""


def made(folder: Path) -> dict[str, am.Dataset]:
    """Return a dataset of each kind."""
    places = (
        _captured(place, folder / f"{place}.airmile") for place in ("monitor", "ue", "server")
    )
    several = Captures(folder).together
    each = _run(folder / "run.airmile"), several, *places, _cut(folder), _empty(folder)
    return dict(zip(KINDS, each, strict=True))


def _run(out: Path) -> am.Dataset:
    run = DATA / RUN
    am.analyze(run / "monitor.pcap.gz", modem=run / "modem.csv.gz", out=out, samples=True)
    for table in run.glob("truth_*"):
        shutil.copytree(table, out / table.name)
    # The manifest lists the parts of the dataset.
    _manifest.write(out, json.loads((out / "manifest.json").read_text()))
    return am.open(out)


def _captured(place: str, out: Path) -> am.Dataset:
    captures = [DATA / name / f"{place}.pcap.gz" for name in SEEN]
    return am.analyze(*captures, modem=DATA / SEEN[0] / "modem_dl.csv.gz", out=out, samples=True)


def _cut(folder: Path) -> am.Dataset:
    records = taps.read(DATA / SEEN[0] / "monitor.pcap.gz")[CUT]
    capture = taps.write(folder / "cut.pcap", records)
    whole = capture.read_bytes()
    capture.write_bytes(whole[:-20])
    return am.analyze(capture, out=folder / "cut.airmile", samples=True)


def _empty(folder: Path) -> am.Dataset:
    """Return the analysis of a capture with a ping and nothing else."""
    (first,) = taps.read(DATA / SEEN[0] / "monitor.pcap.gz")[:1]
    data = bytearray(first.data[:28])
    data[2:4], data[9] = (28).to_bytes(2, "big"), 1
    data[20:28] = bytes([8, 0, 0, 0, 0, 1, 0, 1])
    capture = taps.write(folder / "empty.pcap", [taps.Record(first.ns, 28, bytes(data))])
    return am.analyze(capture, out=folder / "empty.airmile", samples=True)


NAMES = [f"{study} {name}" for study, exhibits in EXHIBITS.items() for name in exhibits]
"""The exhibits, as the table names them."""


def outcomes(kinds: Mapping[str, am.Dataset], names: Iterable[str]) -> Iterator[list[str]]:
    """Yield a row per named exhibit: its name, and for each kind `DRAWN` or the reason."""
    yield ["exhibit", *kinds]
    for name in names:
        study, exhibit = name.split(" ", 1)
        of_kinds = (_outcome(EXHIBITS[study][exhibit], each) for each in kinds.values())
        yield [name, *of_kinds]


def _outcome(exhibit: Exhibit, dataset: am.Dataset) -> str:
    try:
        exhibit.table(dataset)
    except Missing as lacking:
        assert lacking.hint, f"{exhibit.study} {exhibit.name} says not how to get what it lacks"
        names = (f"{dataset.path}: ", f"{dataset.path.name}: ")
        return functools.reduce(lambda said, name: said.replace(name, ""), names, lacking.message)
    return DRAWN


def table(kinds: Mapping[str, am.Dataset], names: Iterable[str] = NAMES) -> str:
    """Return the outcomes as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(outcomes(kinds, names))
    return text.getvalue().replace("\u00a0", " ")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as room:
        sys.stdout.write(table(made(Path(room))))
