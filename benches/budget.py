"""Compares the memory of whole runs with their `--memory`: ``python -m benches.budget``.

Each run analyses a generated capture that would need more than the budget. Its peak is the largest
resident size of the whole process, as the system reports it at the end.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benches.measure import cost

MIB = 1 << 20
BUDGETS_MIB = (128, 256, 512, 1024, 2048, 4096)
UNITS = {
    "phones": 12_000,
    "gap": 12_000,
    "tunnels": 11_000,
    "datagrams": 230,
    "growing": 95_000,
    "names": 10_000,
    "lookups": 3_500,
}
"""The bytes that a phone or a flow of each load takes, about (`benches.loads` describes them)."""

NEED = 1.3
"""How many times the budget a capture would need."""

MOST_RATIO, MOST_BYTES = 0.15, 64 * MIB
"""The larger of the two may be used beyond the budget."""


@dataclass(frozen=True)
class Run:
    """A run within a budget: sizes in bytes, CPU time in seconds."""

    load: str
    budget_bytes: int
    peak_bytes: int
    packets: int
    ended: int
    cpu_s: float

    @property
    def bound_bytes(self) -> int:
        """The most memory that the run may take."""
        return self.budget_bytes + int(max(MOST_RATIO * self.budget_bytes, MOST_BYTES))

    @property
    def is_within(self) -> bool:
        """Whether the run stayed within its bound."""
        return self.peak_bytes <= self.bound_bytes

    def __str__(self) -> str:
        sizes = (self.budget_bytes, self.peak_bytes, self.bound_bytes)
        megabytes = "".join(f"{size / MIB:10.0f}" for size in sizes)
        counts = f"{self.packets:12d}{self.ended:11d}{self.cpu_s:8.0f}"
        return f"{self.load:12}{megabytes}{counts}  {'' if self.is_within else 'MORE'}".rstrip()


def main() -> int:
    """Run each load within each budget, and print a table; 1 if a run took more than it may."""
    options = _options()
    titles = ("budget", "peak", "bound")
    print(f"{'MiB':12}{''.join(f'{title:>10}' for title in titles)}", end="")
    print(f"{'packets':>12}{'ended':>11}{'CPU s':>8}")
    within = True
    for budget_mib in options.memory:
        for load in options.load:
            found = run(load, budget_mib * MIB, threads=options.threads, need=options.need)
            print(found, flush=True)
            within &= found.is_within
    return 0 if within else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--load", nargs="+", choices=UNITS, default=list(UNITS))
    parser.add_argument("--memory", nargs="+", type=int, default=BUDGETS_MIB, metavar="MIB")
    parser.add_argument("--threads", type=int, default=0, help="0: one for each core")
    parser.add_argument("--need", type=float, default=NEED, help="budgets needed [%(default)s]")
    return parser.parse_args()


def run(load: str, budget_bytes: int, *, threads: int = 0, need: float = NEED) -> Run:
    """Analyse a capture of a load that needs more than the budget."""
    size = int(need * budget_bytes / UNITS[load])
    feed = [sys.executable, "-m", "benches.loads", load, str(size)]
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "out.airmile"
        words = [
            str(Path(sys.executable).with_name("airmile")),
            "analyze",
            "-",
            "-q",
            "-o",
            str(out),
        ]
        words += ["--memory", str(budget_bytes), "--threads", str(threads)]
        found = cost(words, Path(scratch), feed)
        if found.exit_code not in (0, 1):
            sys.exit(f"exit code {found.exit_code} of {' '.join(words)}")
        manifest = json.loads((out / "manifest.json").read_text())
    packets, ended = manifest["counts"]["packets"], manifest["ended_for_memory"]
    return Run(load, budget_bytes, found.peak_bytes, packets, ended, found.cpu_s)


if __name__ == "__main__":
    sys.exit(main())
