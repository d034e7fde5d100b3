"""One short run of each workload, scored, and nothing left behind: ``make testbed-smoke``.

::

    sudo python -m tests.testbed.smoke [FOLDER]

The runs stay in FOLDER, if one is named. It ends with 1 when a workload did not come to its end,
when the verdict agrees with fewer than 85 % of the bins of the runs that can be trusted (a machine
with other work makes some of them late), or when anything is left.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from airmile.testbed.experiment.toml_file import Experiment, parse
from airmile.testbed.hosts import leftovers
from airmile.testbed.record.outcome import manifest_of
from airmile.testbed.run.campaign import run_all, runs
from airmile.testbed.scoring import Score, scores
from airmile.testbed.workloads import NAMES

BRIEF: dict[str, dict[str, Any]] = {
    "bulk_download": {"bytes": 4_000_000},
    "bulk_upload": {"bytes": 1_500_000},
    "dash": {"clip_s": 8, "segment_s": 2, "buffer_s": 6, "micro_fetch_gap_s": 0.2},
    "delayed_fin": {"fin_s": 2},
    "exchange": {"flows": [{"count": 6, "wait_ms": [0, 200], "tls": "1.3", "protocol": "h2"}]},
    "http_files": {"gap_s": 0.3},
    "idle_wake": {"gaps_s": [2.0]},
    "iperf3": {"seconds": 2},
    "micro_fetch": {"count": 15},
    "paced_download": {"bytes": 1_000_000, "bps": 3e6},
    "paced_upload": {"bytes": 250_000, "bps": 1e6},
    "page": {"pages": 1, "objects": 20, "think_s": 0},
    "periodic": {"count": 3, "period_s": 1, "least_bytes": 300_000, "most_bytes": 300_000},
    "ping": {"count": 3, "gap_s": 0.5},
    "sequence": {"steps": [{"name": "ping", "count": 2}, {"name": "page", "pages": 1}]},
    "short_flows": {"count": 4},
    "slow_reader": {"bytes": 2_000_000, "stalls": [[700_000, 0.6], [1_400_000, 0.5]]},
}
"""Options that make each workload short."""

LEAST_AGREEMENT = 0.85


def experiments() -> Iterator[Experiment]:
    """Give an experiment per workload."""
    for name in NAMES:
        yield parse(name, {"workload": {"name": name, **BRIEF[name]}, "longest_s": 30})


def main(folder: Path) -> int:
    """Run, score and look for what is left."""
    began = time.monotonic()
    for line in run_all(list(experiments()), folder):
        print(line, flush=True)
    scored = dict(scores.of(folder))
    for part in scores.text(scored.items()):
        print(part)
    over = {r.stem for r in runs(folder) if manifest_of(r)["workload_ended"] == "complete"}
    failed = [name for name in NAMES if name not in over]
    cleaned = leftovers.clean()
    left = cleaned.removed + cleaned.left + _ours()
    trusted = [scored[r.stem].cause for r in runs(folder) if manifest_of(r)["trustworthy"]]
    total = sum(trusted, Score())
    print(
        f"{len(trusted)} runs to be trusted: agreement {total.agreement:.1%} of {total.bins} bins"
    )
    print(f"{len(NAMES)} workloads in {time.monotonic() - began:.0f} s")
    print(f"not complete: {failed or 'none'}; left behind: {left or 'nothing'}")
    return int(bool(failed or left) or (bool(trusted) and total.agreement < LEAST_AGREEMENT))


def _ours() -> list[str]:
    """Find what this process would have left: its namespaces, and devices like a link's."""
    from airmile.testbed.hosts.owner import Owner

    namespaces = Path("/run/netns").glob(f"airmile-{Owner.me().mark}-*")
    devices = (device for device in Path("/sys/class/net").iterdir() if device.name in _DEVICES)
    return [path.name for path in (*namespaces, *devices)]


_DEVICES = ("s0", "w0", "r0", "u0")

if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(main(Path(sys.argv[1])))
    with tempfile.TemporaryDirectory(prefix="airmile-smoke-") as scratch:
        sys.exit(main(Path(scratch) / "runs"))
