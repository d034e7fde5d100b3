"""The slices of a capture, by connection."""

from __future__ import annotations

from collections import defaultdict

from airmile.dataset import Dataset
from tests.recorded.spans import Span

Slices = defaultdict[int, list[tuple[Span, str]]]
"""Spans with causes, by the phone's port."""


def slices(dataset: Dataset, direction: str | None = None) -> Slices:
    """Give the slices of an analysis, or only those of one direction."""
    said: Slices = defaultdict(list)
    only = f"WHERE s.direction = '{direction}'" if direction else ""
    for row in dataset.sql(_SLICES.format(only=only)).to_pylist():
        said[row["ue_port"]].append(((row["start_ns"], row["end_ns"]), row["cause"]))
    return said


# A slice without a transfer, such as the drain of a queue, is not in the verdict's shares.
_SLICES = (
    "SELECT ue_port, s.start_ns, s.end_ns, "
    "CASE WHEN transfer_id IS NULL AND cause != 'undetermined' THEN 'idle' ELSE cause END AS cause "
    "FROM slices s JOIN flows USING (uid) {only} ORDER BY s.start_ns"
)
