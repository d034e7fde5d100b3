"""Runs each workload briefly, scores it, and looks for anything left: ``make testbed-smoke``.

::

    sudo python -m tests.testbed.smoke [FOLDER] [--capture ue]

The runs stay in FOLDER, if one is named. They are scored at the phone, at the monitor and at the
server, or where `--capture` says. It ends with 1 if a workload was not complete, if at one of these
points the verdict agrees with fewer than 96 % of the bins of the trustworthy runs (a machine with
other work makes some runs late), if one of them lacks a capture, or if anything is left. In runs so
short many bins touch a change of state, so a bin of tolerance counts.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from airmile.testbed.experiment.toml_file import Experiment, parse
from airmile.testbed.hosts import leftovers, strays
from airmile.testbed.record.captures import POINTS
from airmile.testbed.record.outcome import manifest_of
from airmile.testbed.run.campaign import run_all, runs
from airmile.testbed.scoring import Score, scores
from airmile.testbed.workloads import NAMES, module

LEAST_AGREEMENT = 0.96


def experiments() -> Iterator[Experiment]:
    """Give one short experiment for each workload."""
    for name in NAMES:
        workload = {"name": name, **module(name).BRIEF}
        yield parse(name, {"workload": workload, "longest_s": 30})


def main(folder: Path, points: Sequence[str]) -> int:
    """Run and score all workloads, and look for what is left."""
    began, before = time.monotonic(), _made()
    for line in run_all(list(experiments()), folder):
        print(line, flush=True)
    over = {r.stem for r in runs(folder) if manifest_of(r)["workload_ended"] == "complete"}
    failed = [name for name in NAMES if name not in over]
    cleaned = leftovers.clean()
    left = cleaned.removed + cleaned.left + sorted(_made() - before)
    poor = [point for point in points if not _agrees(folder, point)]
    print(f"{len(NAMES)} workloads in {time.monotonic() - began:.0f} s")
    print(f"not complete: {failed or 'none'}; left behind: {left or 'nothing'}")
    return int(bool(failed or left or poor))


def _agrees(folder: Path, point: str) -> bool:
    """Score all runs at a capture point, and say whether it agrees with what can be trusted."""
    scored = dict(scores.of(folder, point))
    print(f"at {point}:")
    for part in scores.text(scored.items()):
        print(part)
    lacking = scores.lacking(folder, point)
    for name in lacking:
        print(f"{name}: no score, it has no {point}.pcap")
    trusted = [
        scored[run.stem].cause
        for run in runs(folder)
        if manifest_of(run)["trustworthy"] and run.stem in scored
    ]
    total = sum(trusted, Score())
    share = f"agreement {total.tolerant_agreement:.1%} of {total.bins} bins"
    print(f"{point}: {len(trusted)} runs to be trusted, {share}")
    return not lacking and (not trusted or total.tolerant_agreement >= LEAST_AGREEMENT)


def _made() -> set[str]:
    """Give what runs may have left: namespaces, and devices like a link's."""
    namespaces = strays.NAMESPACES.glob("airmile-*")
    devices = (device for device in Path("/sys/class/net").iterdir() if device.name in _DEVICES)
    return {path.name for path in (*namespaces, *devices)}


_DEVICES = ("s0", "w0", "r0", "u0")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, metavar="FOLDER")
    parser.add_argument("--capture", action="append", choices=POINTS)
    return parser.parse_args()


if __name__ == "__main__":
    options = _options()
    points = options.capture or tuple(POINTS)
    if options.folder:
        sys.exit(main(options.folder, points))
    with tempfile.TemporaryDirectory(prefix="airmile-smoke-") as scratch:
        sys.exit(main(Path(scratch) / "runs", points))
