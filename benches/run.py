"""Measures airmile, other tools and the least possible cost in turn, and keeps the raw figures.

The results go to `benches/runs/DATE-NAME/`: `raw.csv` (a line for each process) and `summary.txt`,
with the versions. A second run on the same day is appended.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import re
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from benches import captures, figures, subjects
from benches.measure import Cost, cost
from benches.subjects import ONE_THREAD, Subject

ROOT = Path(__file__).parent.parent
RUNS = ROOT / "benches" / "runs"
TOOL = ROOT / "target" / "dist" / "airmile-bench"
MICRO = {
    "airmile-read": "decode",
    "airmile-track": "scoreboard",
    "airmile-analyze": "bundle",
    "airmile-link": "virtual_time",
}
COLUMNS = (
    *("run", "subject", "capture", "packets", "round"),
    *("wall_s", "user_s", "system_s", "peak_bytes"),
)
FLOOD_BYTES = 8_000_000_000
"""The disk space in bytes for the dataset of the flood: a row per flow and per phone."""

LIVE = """SELECT max(live) AS most FROM (
    SELECT sum(step) OVER (ORDER BY moment, step) AS live FROM (
        SELECT start_ns::DOUBLE AS moment, 1 AS step FROM flows UNION ALL
        SELECT end_ns + CASE WHEN ending IN ('fin', 'rst') THEN 10e9 ELSE 3600e9 END, -1
        FROM flows))"""
"""SQL of the most flows open at a time: a closed one stays 10 s, a silent one an hour."""


Measured = dict[str, tuple[Subject, list[Cost]]]


def main() -> int:
    """Make the captures, run the rounds, and print and keep the figures."""
    options = _options()
    cache = Path(options.cache).resolve()
    capture = captures.prepare(TOOL, cache)
    chosen = [subjects.of_nothing(TOOL, cache), *subjects.on_capture(TOOL, cache, capture)]
    print(f"{len(chosen)} subjects, {options.rounds} rounds in turn; leave the machine alone")
    folder = RUNS / f"{datetime.now(UTC):%Y-%m-%d}-{options.name}"
    costs = _rounds(chosen, options.rounds, cache)
    _keep_raw(folder, costs)
    live = {ONE_THREAD: _live(capture, cache)}
    if options.flood:
        captures.need(cache, FLOOD_BYTES)
        floods = subjects.on_flood(TOOL, cache, options.flood)
        flooded = _rounds(floods, options.flood_rounds, cache)
        _keep_raw(folder, flooded)
        costs |= flooded
        live |= {flood.name: options.flood for flood in floods}
    found = figures.medians({name: (s.packets, c) for name, (s, c) in costs.items()})
    report = "\n".join([*figures.lines(found), "", *figures.ratios(found, live)])
    print(report)
    micro = _micro() if options.micro else ""
    print(micro)
    with (folder / "summary.txt").open("a") as file:
        file.write(f"run of {_now()}\n{_versions()}\n\n{report}\n\n{micro}\n")
    print(f"kept in {folder}")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    default = Path(tempfile.gettempdir()) / "airmile-bench"
    parser.add_argument("--cache", default=str(default), help="folder for captures [%(default)s]")
    parser.add_argument("--rounds", type=int, default=5, help="[%(default)s]")
    parser.add_argument(
        "--flood", type=int, default=20_000_000, help="flows of the flood; 0: no flood"
    )
    parser.add_argument("--flood-rounds", type=int, default=1, help="[%(default)s]")
    parser.add_argument("--name", default=_machine(), help="name of the machine [%(default)s]")
    parser.add_argument("--no-micro", dest="micro", action="store_false", help="no micro-benches")
    return parser.parse_args()


def _machine() -> str:
    """Return the kind of this machine, which is more useful than its host name."""
    return f"{platform.system()}-{platform.machine()}-{os.cpu_count()}cpu".lower()


def _rounds(chosen: list[Subject], rounds: int, cache: Path) -> Measured:
    """Run all subjects in turn, so that a machine that becomes slower affects all of them."""
    costs: Measured = {subject.name: (subject, []) for subject in chosen}
    for number in range(rounds):
        for subject in chosen:
            print(f"round {number + 1}: {subject.name}", flush=True)
            costs[subject.name][1].append(_good(subject, cache))
    return costs


def _good(subject: Subject, cache: Path) -> Cost:
    found = cost(subject.words, cache, subject.feed)
    if found.exit_code:
        command = " ".join(subject.words)
        raise SystemExit(f"{subject.name}: exit code {found.exit_code} of {command}")
    return found


def _live(capture: captures.Capture, cache: Path) -> int:
    """Return the largest number of flows of a capture that are open at the same time."""
    cost(subjects.airmile(str(capture.path), cache), cache)
    words = [subjects.AIRMILE, "query", str(cache / "out.airmile"), LIVE, "--format", "csv"]
    return int(float(_output(words).splitlines()[-1]))


def _micro() -> str:
    """Run the micro-benches and return their tables."""
    words = ["cargo", "bench", "--quiet", "--profile", "dist", "--locked"]
    for crate, name in MICRO.items():
        words += ["-p", crate, "--bench", name]
    return _output(words)


def _output(words: list[str]) -> str:
    done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"exit code {done.returncode} of {' '.join(words)}")
    return done.stdout


def _now() -> str:
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _keep_raw(folder: Path, costs: Measured) -> None:
    """Append the costs to the raw figures at once, because a long run may be interrupted."""
    folder.mkdir(parents=True, exist_ok=True)
    now = _now()
    raw = folder / "raw.csv"
    fresh = not raw.exists()
    with raw.open("a", newline="") as file:
        lines = csv.writer(file)
        if fresh:
            lines.writerow(COLUMNS)
        for name, (subject, found) in costs.items():
            for number, each in enumerate(found, 1):
                times = (each.wall_s, each.user_s, each.system_s)
                said = (now, name, subject.capture, subject.packets, number)
                lines.writerow([*said, *(f"{time:.3f}" for time in times), each.peak_bytes])


def _versions() -> str:
    """Return the versions of the measured programs, and the machine."""
    commands = {
        "airmile": [subjects.AIRMILE, "--version"],
        "commit": ["git", "describe", "--always", "--dirty"],
        "rustc": ["rustc", "--version"],
        "tcptrace": ["dpkg-query", "-W", "-f", "${Version}", "tcptrace"],
    }
    report = {name: _first_line(words) for name, words in commands.items()}
    report["python"] = platform.python_version()
    report["kernel"] = platform.release()
    report["processor"] = _processor()
    return "\n".join(f"{name}: {text}" for name, text in report.items())


def _first_line(words: list[str]) -> str:
    try:
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return "unknown"
    lines = done.stdout.splitlines()
    return lines[0] if lines and not done.returncode else "unknown"


def _processor() -> str:
    listed = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.*)", listed.read_text()) if listed.exists() else None
    return f"{found[1] if found else platform.machine()}, {os.cpu_count()} cores seen"


if __name__ == "__main__":
    sys.exit(main())
