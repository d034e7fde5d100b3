"""Runs each workload briefly, scores it, and looks for anything left: ``make testbed-smoke``.

::

    sudo python -m tests.testbed.smoke [FOLDER]

The runs stay in FOLDER, if one is named. It ends with 1 if a workload was not complete, if the
verdict agrees with fewer than 85 % of the bins of the trustworthy runs (a machine with other work
makes some runs late), or if anything is left.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from airmile.testbed.experiment.toml_file import Experiment, parse
from airmile.testbed.hosts import leftovers, strays
from airmile.testbed.record.outcome import manifest_of
from airmile.testbed.run.campaign import run_all, runs
from airmile.testbed.scoring import Score, scores
from airmile.testbed.workloads import NAMES, module

LEAST_AGREEMENT = 0.85


def experiments() -> Iterator[Experiment]:
    """Give one short experiment for each workload."""
    for name in NAMES:
        workload = {"name": name, **module(name).BRIEF}
        yield parse(name, {"workload": workload, "longest_s": 30})


def main(folder: Path) -> int:
    """Run and score all workloads, and look for what is left."""
    began, before = time.monotonic(), _made()
    for line in run_all(list(experiments()), folder):
        print(line, flush=True)
    scored = dict(scores.of(folder))
    for part in scores.text(scored.items()):
        print(part)
    over = {r.stem for r in runs(folder) if manifest_of(r)["workload_ended"] == "complete"}
    failed = [name for name in NAMES if name not in over]
    cleaned = leftovers.clean()
    left = cleaned.removed + cleaned.left + sorted(_made() - before)
    trusted = [scored[r.stem].cause for r in runs(folder) if manifest_of(r)["trustworthy"]]
    total = sum(trusted, Score())
    print(
        f"{len(trusted)} runs to be trusted: agreement {total.agreement:.1%} of {total.bins} bins"
    )
    print(f"{len(NAMES)} workloads in {time.monotonic() - began:.0f} s")
    print(f"not complete: {failed or 'none'}; left behind: {left or 'nothing'}")
    return int(bool(failed or left) or (bool(trusted) and total.agreement < LEAST_AGREEMENT))


def _made() -> set[str]:
    """Give what runs may have left: namespaces, and devices like a link's."""
    namespaces = strays.NAMESPACES.glob("airmile-*")
    devices = (device for device in Path("/sys/class/net").iterdir() if device.name in _DEVICES)
    return {path.name for path in (*namespaces, *devices)}


_DEVICES = ("s0", "w0", "r0", "u0")

if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(main(Path(sys.argv[1])))
    with tempfile.TemporaryDirectory(prefix="airmile-smoke-") as scratch:
        sys.exit(main(Path(scratch) / "runs"))
