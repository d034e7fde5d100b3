"""Record long transfers with known truth, and score what airmile says of them.

::

    sudo python -m tests.physics --record DIR [--held-out] [--only TEXT] [--at-once 2]
    python -m tests.physics --truth DIR [--held-out]  # the truth anew, from what was recorded
    python -m tests.physics --keep DIR                # the selection in tests/data/physics anew
    python -m tests.physics --score DIR [--held-out] [--only TEXT] [--tap ue] [--csv PREFIX]
    python -m tests.physics --kept                    # the score of that selection

Odd seeds are held out: they are recorded and scored with ``--held-out`` alone.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.physics import kinds, scoring, selection
from tests.physics.analysed import TAPS
from tests.physics.record import write_truth
from tests.recorded import play


def main() -> int:
    """Do what is asked."""
    options = _parsed()
    seeds = kinds.HELD_OUT if options.held_out else kinds.DEVELOPMENT
    runs = [r for seed in seeds for r in kinds.runs(seed) if options.only in r.name]
    if options.record:
        return int(not play.record(runs, options.record, write_truth, options.at_once))
    if options.truth:
        for _, folder in play.recorded(options.truth, runs, "manifest.json"):
            write_truth(folder)
        return 0
    if options.keep:
        selection.keep(options.keep)
        return 0
    if options.kept:
        scoring.show(scoring.score_kept(selection.KEPT), options.csv)
        return 0
    found = play.recorded(options.score, runs, "truth.csv")
    if not found:
        print(f"no run of these under {options.score}", file=sys.stderr)
        return 2
    scoring.show(scoring.score(found, options.tap), options.csv)
    return 0


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--record", type=Path, metavar="DIR")
    what.add_argument("--truth", type=Path, metavar="DIR")
    what.add_argument("--keep", type=Path, metavar="DIR")
    what.add_argument("--score", type=Path, metavar="DIR")
    what.add_argument("--kept", action="store_true")
    parser.add_argument("--held-out", action="store_true", help="the odd seeds instead")
    parser.add_argument("--only", default="", metavar="TEXT", help="runs with this in their name")
    parser.add_argument("--at-once", type=int, default=1, help="runs recorded at the same time")
    parser.add_argument("--tap", default="monitor", choices=TAPS)
    parser.add_argument(
        "--csv", type=Path, metavar="PREFIX", help="also PREFIX-causes.csv and PREFIX-figures.csv"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
