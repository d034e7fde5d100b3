"""Clocks of modem logs: compares the estimated offset with a known one (methods G9).

::

    python -m tests.score.clocks [SETS_DIR]... [--held-out] [--vantage monitor]

Modem and capture of a recorded set have one clock. Each log is written again with another clock, or
with only a part of the time; a capture may be appended to itself, as of a phone that loads the same
file twice. Sets with an odd number in their name, or runs of an odd seed, are held out: they are
scored on request.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import re
import struct
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import airmile
from airmile.testbed.record.captures import POINTS
from airmile.verbs._analyze import Vantage
from tests.score.capture import file_of

SETS = Path(__file__).parent.parent / "data" / "emu"

Row = dict[str, str]


@dataclass(frozen=True)
class Clock:
    """The differences of a modem's clock and log from the recorded ones."""

    shift_s: float = 0.0
    stretch_ppm: float = 0.0
    begin: float = 0.0
    """The share of the log before which nothing is logged."""
    end: float = 1.0
    """The share of the log after which nothing is logged."""
    twice: bool = False
    """Whether everything happens once more, `PAUSE_S` after its end."""
    uplink_only: bool = False

    def shown_ns(self, time_ns: int, first_ns: int) -> int:
        """Return this clock's time at a time of the recorded clock."""
        elapsed = (time_ns - first_ns) * (1 + self.stretch_ppm / 1e6)
        return first_ns + round(elapsed + self.shift_s * 1e9)

    def offset_ns(self, shown_ns: float, first_ns: int) -> float:
        """Return the offset to add to a time of this clock."""
        elapsed = (shown_ns - first_ns - self.shift_s * 1e9) / (1 + self.stretch_ppm / 1e6)
        return first_ns + elapsed - shown_ns


PAUSE_S = 1.5

CLOCKS = {
    "equal": Clock(),
    "shifted": Clock(shift_s=3.7),
    "earlier": Clock(shift_s=-8.25),
    "hours": Clock(shift_s=7200.0),
    "gps": Clock(shift_s=18.0),
    "drifting": Clock(shift_s=-0.31, stretch_ppm=50),
    "drifting back": Clock(shift_s=7.1, stretch_ppm=-50),
    "ends early": Clock(shift_s=-1.3, end=0.6),
    "begins late": Clock(shift_s=2.45, begin=0.35),
    "middle": Clock(shift_s=5.2, begin=0.25, end=0.75),
    "twice, equal": Clock(twice=True),
    "twice, shifted": Clock(shift_s=4.4, twice=True),
    "uplink only": Clock(shift_s=-2.2, uplink_only=True),
}


@dataclass(frozen=True)
class Found:
    """The alignment of one log, and the truth."""

    name: str
    clock: str
    reason: str | None
    error_ms: float | None
    uncertainty_ms: float | None

    @property
    def holds(self) -> bool | None:
        """Whether the error is within the uncertainty; None without an estimate."""
        if self.error_ms is None or self.uncertainty_ms is None:
            return None
        return self.error_ms <= self.uncertainty_ms


def rows_of(log: Path) -> list[Row]:
    """Read a log of the emulator."""
    with gzip.open(log, "rt") if log.suffix == ".gz" else log.open() as file:
        return list(csv.DictReader(file))


def time_ns(row: Row) -> int:
    """Return the time of a row."""
    seconds, _, fraction = row["t_unix"].partition(".")
    return int(seconds) * 10**9 + int((fraction + "0" * 9)[:9])


def write_log(rows: list[Row], clock: Clock, out: Path, repeat_ns: int | None = None) -> None:
    """Write a log with the times of this clock."""
    first = time_ns(rows[0])
    length = max(time_ns(rows[-1]) - first, 1)
    if repeat_ns is not None:
        rows = [*rows, *(_later(row, repeat_ns) for row in rows)]
        length += repeat_ns
    with gzip.open(out, "wt", compresslevel=1) as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        for row in rows:
            at = time_ns(row)
            kept = clock.begin <= (at - first) / length <= clock.end
            if kept and not (clock.uplink_only and row.get("direction") != "uplink"):
                shown = clock.shown_ns(at, first)
                writer.writerow(row | {"t_unix": f"{shown // 10**9}.{shown % 10**9:09d}"})


def _later(row: Row, by_ns: int) -> Row:
    at = time_ns(row) + by_ns
    moved = row | {"t_unix": f"{at // 10**9}.{at % 10**9:09d}"}
    if row.get("tti"):
        moved["tti"] = str(int(row["tti"]) + by_ns // 10**6)
    return moved


def write_twice(capture: Path, out: Path, by_ns: int) -> None:
    """Write a classic raw-IP capture, and append it with later times and other ports."""
    data = capture.read_bytes()
    data = gzip.decompress(data) if capture.suffix == ".gz" else data
    nanos = data[:4] in (b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d")
    order = "<" if data[:1] in (b"\xd4", b"\x4d") else ">"
    unit = 1 if nanos else 1000
    again = bytearray()
    at = 24
    while at + 16 <= len(data):
        seconds, fraction, kept, length = struct.unpack_from(f"{order}IIII", data, at)
        shown = seconds * 10**9 + fraction * unit + by_ns
        head = struct.pack(f"{order}IIII", shown // 10**9, shown % 10**9 // unit, kept, length)
        again += head + _other_port(data[at + 16 : at + 16 + kept])
        at += 16 + kept
    out.write_bytes(data[:at] + bytes(again))


def _other_port(packet: bytes) -> bytes:
    """Move the port of the phone, which is the larger one, by 7."""
    ip = (packet[0] & 15) * 4
    if len(packet) < ip + 4 or packet[9] not in (6, 17):
        return packet
    source, target = struct.unpack_from(">HH", packet, ip)
    moved = (source + 7, target) if source > target else (source, target + 7)
    return packet[:ip] + struct.pack(">HH", *moved) + packet[ip + 4 :]


def align(folder: Path, name: str, vantage: Vantage, scratch: Path) -> Found | None:
    """Align one set's log with one clock; None if the set lacks a file."""
    clock = CLOCKS[name]
    capture = file_of(folder, f"{vantage}.pcap")
    log = file_of(folder, "modem.csv", "modem_dl.csv")
    if log is None or capture is None:
        return None
    rows = rows_of(log)
    if clock.uplink_only and not any(row.get("direction") == "uplink" for row in rows):
        return None
    repeat_ns = None
    if clock.twice:
        ttis = (time_ns(rows[-1]) - time_ns(rows[0])) // 10**6 + int(PAUSE_S * 1e3)
        repeat_ns = ttis * 10**6
        write_twice(capture, scratch / "twice.pcap", repeat_ns)
        capture = scratch / "twice.pcap"
    write_log(rows, clock, scratch / "moved.csv.gz", repeat_ns)
    dataset = airmile.analyze(
        capture, modem=scratch / "moved.csv.gz", vantage=vantage, out=scratch / "a.airmile"
    )
    users = dataset.manifest["radio"]
    first = time_ns(rows[0])
    return _found(folder.name, name, users[0] if users else {}, clock, first, scratch)


def _found(folder: str, name: str, user: Any, clock: Clock, first_ns: int, scratch: Path) -> Found:
    aligned = user.get("aligned")
    if not aligned:
        return Found(folder, name, user.get("not_aligned") or "no user", None, None)
    shown = [time_ns(row) for row in rows_of(scratch / "moved.csv.gz")]
    middle = (shown[0] + shown[-1]) / 2
    errors = []
    for at in (shown[0], middle, shown[-1]):
        drifted = (at - middle) * (aligned["drift_ppm"] or 0) * 1e-6
        errors.append(abs(aligned["offset_ms"] * 1e6 + drifted - clock.offset_ns(at, first_ns)))
    return Found(folder, name, None, max(errors) / 1e6, aligned["uncertainty_ms"])


def held_out(name: str) -> bool:
    """Return whether a set is held out."""
    seed = re.search(r"-s(\d+)$", name) or re.search(r"^\D*(\d+)_", name)
    return name.startswith("h0") or bool(seed and int(seed.group(1)) % 2)


def score(folders: Iterable[Path], names: Iterable[str], vantage: Vantage) -> Iterator[Found]:
    """Align every set's log with every clock."""
    for folder in folders:
        for name in names:
            with tempfile.TemporaryDirectory() as scratch:
                found = align(folder, name, vantage, Path(scratch))
            if found is not None:
                yield found


def table(found: list[Found]) -> str:
    """Sum up by clock: the estimates, how many hold, and quartiles of the uncertainty."""
    lines = [
        f"{'clock':16} {'runs':>5} {'known':>5} {'hold':>5} {'median ±ms':>11} {'worst error':>12}"
    ]
    for name in [*dict.fromkeys(each.clock for each in found), "all"]:
        own = [each for each in found if name in (each.clock, "all")]
        shown = [each for each in own if each.error_ms is not None]
        unsure = sorted(each.uncertainty_ms or 0 for each in shown)
        worst = max((each.error_ms or 0 for each in shown), default=0)
        median = unsure[len(unsure) // 2] if unsure else float("nan")
        holds = sum(bool(each.holds) for each in shown)
        lines.append(
            f"{name:16} {len(own):5} {len(shown):5} {holds:5} {median:11.1f} {worst:12.1f}"
        )
    return "\n".join(lines)


def main() -> int:
    """Print each estimate, and the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", type=Path, default=[SETS])
    parser.add_argument("--held-out", action="store_true", help="the sets that are held out")
    parser.add_argument("--vantage", default="monitor", choices=POINTS)
    parser.add_argument("--clock", action="append", choices=CLOCKS, help="only this one")
    options = parser.parse_args()
    every = [path for folder in options.folders for path in sorted(folder.iterdir())]
    every = [path for path in every if path.is_dir() and not path.name.startswith(".")]
    folders = [path for path in every if held_out(path.name) == options.held_out]
    found = []
    for each in score(folders, options.clock or CLOCKS, options.vantage):
        found.append(each)
        shown = each.reason or f"{each.error_ms:8.2f} of ±{each.uncertainty_ms:.2f} ms"
        mark = {True: " ", False: "!", None: "-"}[each.holds]
        print(f"{mark} {each.name:24} {each.clock:16} {shown}", flush=True)
    print(table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
