"""Analyses a mutated log, and compares the answer with what the link did."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import airmile
from airmile import AirmileError
from airmile.verbs._verify import verify
from tests.radio.mutated.cases import case
from tests.radio.mutated.rows import Log

WIDTH = 0.1
"""The largest width of the range of the busy share, with the truth within it."""

ROUNDING = 0.02
"""How far the truth may lie outside of the range.

A whole percent, as people read it, and one for the blocks that end a queue, which some formats do
not show.
"""


def faults(seed: int, folder: Path) -> list[str]:
    """Return what is wrong in the answer to a log, each as its kind and its values."""
    log, writer = case(seed)
    paths = writer.write(log.files, folder)
    try:
        dataset = airmile.radio(*paths, out=folder / "log.airmile", set={})
    except AirmileError as error:
        return [f"refused: {error}"]
    found = [f"verify: {finding.where}: {finding.fault}" for finding in verify(dataset.path)]
    users = dataset.radio.users
    if not users:
        return [*found, "busy: no user"]
    found += _busy(users[0], log.busy_ms / log.receiving_ms)
    rows = dataset.rows("ttis")
    if rows != log.kept:
        found.append(f"rows: {rows} where {log.kept} can be placed")
    return [*found, *_counted(dataset, log)]


def checked(seed: int) -> list[str]:
    """Return the faults of a log in a folder of its own, which is removed."""
    folder = Path(tempfile.mkdtemp(prefix="airmile-mutated-"))
    try:
        return faults(seed, folder)
    finally:
        shutil.rmtree(folder)


def _busy(user: airmile.RadioUser, true: float) -> Iterator[str]:
    low, busy, high = user.busy_low_ratio, user.busy_ratio, user.busy_high_ratio
    if low is None or busy is None or high is None:
        yield f"busy: unknown where {true:.3f} is true"
        return
    values = f"{busy:.3f} in {low:.3f}-{high:.3f} where {true:.3f} is true"
    if abs(busy - true) > WIDTH / 2:
        yield f"busy: {values}"
    elif high - low > WIDTH:
        yield f"busy, wide: {values}"
    elif not low - ROUNDING <= true <= high + ROUNDING:
        yield f"busy, outside: {values}"


def _counted(dataset: airmile.Dataset, log: Log) -> Iterator[str]:
    """Yield a fault where rows are missing and nothing says so."""
    skipped: dict[str, int] = {}
    for entry in dataset.manifest["modem"]:
        for reason, count in entry["skipped"].items():
            skipped[reason] = skipped.get(reason, 0) + count
    left_out = sum(len(rows) for rows in log.files) - dataset.rows("ttis")
    if sum(skipped.values()) != left_out:
        yield f"skipped: {skipped} where {left_out} rows are left out"
    is_partial = dataset.manifest["status"] == "partial"
    if is_partial != (sum(skipped.values()) > skipped.get("duplicate", 0)):
        yield f"status: {dataset.manifest['status']} with {skipped}"
