"""Counts instructions per packet by module: ``python -m benches.count CAPTURE``.

Without a capture, those of `benches.captures.counted` are measured. ``--keep`` keeps the result for
later comparisons. ``--check`` compares with the kept result and fails if a total grew by 2 %.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benches import callgrind, captures

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "benches" / "runs" / "instructions.csv"
BUILT = ROOT / "target" / "dist"
STAGES = ("walk", "decode", "table", "track", "analyze", "dataset", "process")
TOLERANCE = 0.02
COLUMNS = ("capture", "stage", "packets", "room", *callgrind.EVENTS)

Kept = dict[tuple[str, str], dict[str, float]]
"""Instructions per packet of each module, by capture and stage."""


@dataclass(frozen=True)
class Count:
    """The costs of one stage of the analysis on one capture."""

    capture: str
    stage: str
    packets: int
    total: Counter[str]
    rooms: dict[str, Counter[str]]

    def rows(self) -> Iterator[list[str]]:
        """Yield the total and each module as rows, with costs per packet."""
        ranked = sorted(self.rooms.items(), key=lambda room: -room[1]["instructions"])
        for name, cost in [("total", self.total), *ranked]:
            figures = (f"{cost[event] / self.packets:.2f}" for event in callgrind.EVENTS)
            yield [self.capture, self.stage, str(self.packets), name, *figures]


def main() -> int:
    """Measure, print the costs, and keep or compare them."""
    options = _options()
    counts = []
    for capture in _captures(options):
        for stage in options.stage or ("analyze", "dataset"):
            counts.append(count(capture, stage, options))
            _print(counts[-1], options.top)
    if options.keep:
        _keep(counts)
    return _check(counts, _kept()) if options.check else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    cache = str(Path(tempfile.gettempdir()) / "airmile-bench")
    parser.add_argument(
        "capture", nargs="*", type=Path, help="captures to analyse [those of benches.captures]"
    )
    parser.add_argument("--stage", action="append", choices=STAGES, help="[analyze, dataset]")
    parser.add_argument("--by", choices=("room", "file", "line"), default="room")
    parser.add_argument(
        "--top", type=int, default=40, help="number of modules to list [%(default)s]"
    )
    parser.add_argument(
        "--no-caches",
        dest="caches",
        action="store_false",
        help="do not simulate caches; twice as fast",
    )
    parser.add_argument("--built", type=Path, default=BUILT, help="folder of the binaries")
    parser.add_argument(
        "--cache", type=Path, default=cache, help="folder for captures [%(default)s]"
    )
    parser.add_argument("--keep", action="store_true", help=f"as {KEPT.relative_to(ROOT)}")
    parser.add_argument("--check", action="store_true", help="compare with the kept result")
    return parser.parse_args()


def _captures(options: argparse.Namespace) -> list[captures.Capture]:
    tool = options.built / "airmile-bench"
    if not options.capture:
        return captures.counted(tool, options.cache)
    return [
        captures.Capture(path.stem, path.resolve(), captures.packets(tool, path))
        for path in options.capture
    ]


def count(capture: captures.Capture, stage: str, options: argparse.Namespace) -> Count:
    """Run one stage under callgrind, and return its costs."""
    with tempfile.TemporaryDirectory() as scratch:
        words = _words(stage, str(capture.path), Path(scratch) / "out.airmile", options.built)
        profile = callgrind.run(words, options.caches, ROOT)
    rooms = callgrind.rooms(profile, options.by)
    return Count(capture.name, stage, capture.packets, profile.totals(), rooms)


def _words(stage: str, capture: str, out: Path, built: Path) -> list[str]:
    if stage == "process":
        return [
            sys.executable,
            "-m",
            "airmile",
            "analyze",
            capture,
            "--out",
            str(out),
            "--threads",
            "1",
        ]
    if stage == "dataset":
        return [str(built / "airmile-rows"), "dataset", capture, str(out), "1"]
    return [str(built / "airmile-bench"), stage, capture]


def _print(found: Count, top: int) -> None:
    sizes = ", ".join(f"{name} {size[0] >> 10} KiB" for name, size in callgrind.CACHES.items())
    print(f"{found.capture}, {found.stage}: {found.packets} packets; per packet ({sizes})")
    print(f"{'instructions':>12} {'I1 misses':>9} {'D1 misses':>9} {'LL misses':>9}  room")
    for row in [*found.rows()][: top + 1]:
        print(f"{row[4]:>12} {row[5]:>9} {row[6]:>9} {row[7]:>9}  {row[3]}")
    print(flush=True)


def _keep(counts: list[Count]) -> None:
    with KEPT.open("w", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(COLUMNS)
        lines.writerows(row for found in counts for row in found.rows())
    version = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True)
    KEPT.with_suffix(".txt").write_text(f"{version.stdout}caches: {callgrind.CACHES}\n")
    print(f"kept in {KEPT}")


def _kept() -> Kept:
    kept: Kept = {}
    with KEPT.open(newline="") as file:
        for row in csv.DictReader(file):
            rooms = kept.setdefault((row["capture"], row["stage"]), {})
            rooms[row["room"]] = float(row["instructions"])
    return kept


def _check(counts: list[Count], kept: Kept) -> int:
    """Print each total that grew by 2 %, with the modules that grew; return their number."""
    dearer = 0
    for found in counts:
        before = kept.get((found.capture, found.stage))
        if not before:
            print(f"{found.capture}, {found.stage}: no kept run to compare with")
            continue
        now = {row[3]: float(row[4]) for row in found.rows()}
        change = now["total"] / before["total"] - 1
        print(
            f"{found.capture}, {found.stage}: {before['total']} to {now['total']} ({change:+.2%})"
        )
        dearer += change > TOLERANCE
        for room, more in changes(before, now).items():
            print(f"  {more:+10.1f} {room}")
    return 1 if dearer else 0


def changes(before: dict[str, float], now: dict[str, float]) -> dict[str, float]:
    """Return the modules that changed by 2 % of the earlier total; the largest change is first."""
    rooms = (before.keys() | now.keys()) - {"total"}
    found = {room: now.get(room, 0.0) - before.get(room, 0.0) for room in rooms}
    large = [room for room in rooms if abs(found[room]) > TOLERANCE * before["total"]]
    return {room: found[room] for room in sorted(large, key=lambda room: -abs(found[room]))}


if __name__ == "__main__":
    sys.exit(main())
