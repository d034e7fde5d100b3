"""Provokes every fault, many times: `python -m tests.faults`; root also fills a disk of its own.

It prints the results and ends with 1 if a dataset was damaged, something was left that the doctor
does not name, or a traceback was printed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.faults import campaign, slow_clients


def main() -> int:
    """Run the requested faults."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200, help="of each signal [200]")
    parser.add_argument("--disks", type=int, default=20, help="sizes of a disk [20]")
    parser.add_argument("--io", action="store_true", help="fail each call")
    parser.add_argument("--slow", type=int, default=500, help="clients of live [500]")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    faults = 0
    with tempfile.TemporaryDirectory(prefix="faults-") as scratch:
        room = Path(scratch)
        for name, found in campaign.all_of(room, asked.kills, asked.disks, asked.io, asked.seed):
            faults += _print(name, found)
    if asked.slow:
        faults += slow_clients.measure(asked.slow)
    print(f"{faults} faults")
    return int(faults > 0)


def _print(name: str, found: list[tuple[str, list[str]]]) -> int:
    """Print how often each exit occurred, and what was wrong."""
    ends = Counter(end for end, _ in found)
    print(f"{name}: {len(found)} runs:", ", ".join(f"{n} x {end}" for end, n in ends.most_common()))
    wrong = [fault for _, faults in found for fault in faults]
    for fault, count in Counter(wrong).most_common():
        print(f"  {count} x {fault}")
    return len(wrong)


if __name__ == "__main__":
    sys.exit(main())
