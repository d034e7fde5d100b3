"""What airmile says of one capture: slices and headlines, with how sure it is of each."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import airmile
from airmile.dataset import Dataset
from tests.recorded.spans import Span
from tests.recorded.tally import NONE, UNDETERMINED

SURE, LIKELY, OPEN = "sure", "likely", "open"


@dataclass(frozen=True)
class Claim:
    """A cause, how sure it is, and the other possible causes, as the columns give them.

    A dataset without these columns is sure of all that it names.
    """

    cause: str
    certainty: str = SURE
    second: tuple[str, ...] = ()

    @property
    def named(self) -> tuple[str, ...]:
        """The causes that it names."""
        every = (self.cause, *self.second)
        return tuple(dict.fromkeys(cause for cause in every if cause != UNDETERMINED))

    @property
    def is_open(self) -> bool:
        """Whether it prefers no cause."""
        return self.certainty == OPEN or self.cause == UNDETERMINED

    def stated(self) -> dict[str, float]:
        """Give the probability that is stated for each cause.

        >>> Claim("slow_start", "likely", ("sender_app",)).stated()
        {'slow_start': 0.9, 'sender_app': 0.1}
        >>> Claim("undetermined", "open", ("slow_start", "sender_app")).stated()
        {'slow_start': 0.5, 'sender_app': 0.5}
        """
        if self.is_open:
            return dict.fromkeys(self.named, 1 / len(self.named)) if self.named else {}
        first = 0.9 if self.certainty == LIKELY else 0.99
        rest = {cause: (1 - first) / len(self.second) for cause in self.second}
        return {self.cause: first, **{cause: round(share, 9) for cause, share in rest.items()}}


SILENT = Claim(NONE)
"""What is said of time without a slice."""

Slices = list[tuple[Span, Claim]]


@dataclass
class Said:
    """The analysis of a capture, by the phone's port."""

    slices: defaultdict[int, Slices] = field(default_factory=lambda: defaultdict(list))
    headlines: dict[int, Claim] = field(default_factory=dict)

    def opened_as(self, other: Said, opened: Mapping[int, int]) -> Said:
        """Give these slices, but for each port those of another analysis until its opening ends."""
        slices = defaultdict(list, self.slices)
        for port, end in opened.items():
            before = [(span, claim) for span, claim in other.slices[port] if span[0] < end]
            slices[port] = [*before, *((s, c) for s, c in self.slices[port] if s[0] >= end)]
        return Said(slices)


def of(capture: Path | bytes, direction: str | None, ports: Collection[int]) -> Said:
    """Analyse a capture without options, as most users do.

    Parameters
    ----------
    capture : Path or bytes
        The capture: its file, or what is in it.
    direction : str or None
        The direction of the slices; None for both.
    ports : collection of int
        The phone's ports. A capture of one direction may not show which end is the phone.
    """
    with tempfile.TemporaryDirectory(prefix="airmile-taps-") as scratch:
        if isinstance(capture, bytes):
            file = Path(scratch) / "x.pcap"
            file.write_bytes(capture)
        else:
            file = capture
        return _read(airmile.analyze(file, out=Path(scratch) / "x.airmile"), direction, ports)


def _read(dataset: Dataset, direction: str | None, ports: Collection[int]) -> Said:
    said = Said()
    only = f"WHERE s.direction = '{direction}'" if direction else ""
    slices = _SLICES.format(only=only, sure=_columns(dataset, "slices", "s"))
    for row in dataset.sql(slices).to_pylist():
        port = row["ue_port"] if row["ue_port"] in ports else row["server_port"]
        said.slices[port].append(((row["start_ns"], row["end_ns"]), _claim(row)))
    for row in dataset.sql(_FLOWS.format(sure=_columns(dataset, "flows", "f"))).to_pylist():
        port = row["ue_port"] if row["ue_port"] in ports else row["server_port"]
        if row["cause"]:
            said.headlines[port] = _claim(row)
    return said


def _columns(dataset: Dataset, table: str, short: str) -> str:
    """Give the columns of the certainty, or what takes their place where there are none."""
    known = dataset.sql(f"SELECT * FROM {table} LIMIT 0").column_names
    return ", ".join(
        f"{short}.{name}" if name in known else f"NULL AS {name}"
        for name in ("certainty", "second")
    )


def _claim(row: Mapping[str, Any]) -> Claim:
    second = tuple(each.strip() for each in (row["second"] or "").split(",") if each.strip())
    cause = row["cause"] or UNDETERMINED
    return Claim(cause, row["certainty"] or SURE, second)


# A slice without a transfer, such as the drain of a queue, is not in the verdict's shares.
_SLICES = """
    SELECT ue_port, server_port, s.start_ns, s.end_ns, {sure},
        CASE WHEN transfer_id IS NULL AND cause != 'undetermined' THEN 'idle' ELSE cause END
            AS cause
    FROM slices s JOIN flows USING (uid) {only} ORDER BY s.start_ns, s.end_ns"""

# Of several flows with the same ports the longest one counts, which comes last.
_FLOWS = """
    SELECT ue_port, server_port, limited_by AS cause, {sure}
    FROM flows f WHERE protocol = 'tcp' ORDER BY end_ns - start_ns"""
