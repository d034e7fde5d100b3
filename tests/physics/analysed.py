"""A recorded run, and the analysis of one of its captures."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import airmile
from airmile.dataset import Dataset
from airmile.testbed.hosts.sockets import Senders
from airmile.testbed.record.outcome import manifest_of
from airmile.testbed.scoring.pairs import Case
from tests.physics.figures import Spans
from tests.recorded.files import read_rows


@contextmanager
def analysed(folder: Path, tap: str = "monitor") -> Iterator[Dataset]:
    """Analyse a capture of a run with the engine that is installed."""
    capture = next(folder.glob(f"{tap}.pcap*"))
    with tempfile.TemporaryDirectory(prefix="airmile-physics-") as scratch:
        yield airmile.analyze(capture, out=Path(scratch) / "x.airmile")


def case_of(folder: Path, said: Dataset | None = None) -> Case:
    """Give a run with the analysis of its capture, or with the run itself instead."""
    truth, facts = airmile.open(folder), manifest_of(folder)
    return Case(said or truth, truth, facts["experiment"]["direction"], Senders.of(facts))


def truth_of(folder: Path) -> tuple[str, Spans]:
    """Read the truth of a run: the direction that is judged, and the spans of its connections."""
    truth: defaultdict[int, list[Any]] = defaultdict(list)
    rows = read_rows(next(folder.glob("truth.csv*")))
    for row in rows:
        span = int(row["start_ns"]), int(row["end_ns"])
        truth[int(row["port"])].append((span, row["label"]))
    return rows[0]["direction"], dict(truth)
