"""Record everyday runs with known truth, and score what airmile says of them.

::

    sudo python -m tests.everyday --record DIR [--held-out] [--only TEXT]
    python -m tests.everyday --truth DIR             # the truth anew, from what was recorded
    python -m tests.everyday --keep DIR              # the selection in tests/data/everyday anew
    python -m tests.everyday --score DIR [--held-out] [--tap ue] [--damaged] [--csv PREFIX]

Odd seeds are held out: they are recorded and scored with ``--held-out`` alone. With ``--damaged``
captures are scored that hold only a part of each recording.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.everyday import damage, kinds, scoring, selection
from tests.everyday.record import write_truth
from tests.recorded import play


def main() -> int:
    """Do what is asked."""
    options = _parsed()
    seeds = kinds.HELD_OUT if options.held_out else kinds.DEVELOPMENT
    runs = [r for seed in seeds for r in kinds.runs(seed) if options.only in r.name]
    if options.record:
        return int(not play.record(runs, options.record, write_truth))
    if options.truth:
        for _, folder in play.recorded(options.truth, runs, "manifest.json"):
            write_truth(folder)
        return 0
    if options.keep:
        selection.keep(options.keep)
        return 0
    found = play.recorded(options.score, runs, "truth.csv")
    if not found:
        print(f"no run of these under {options.score}", file=sys.stderr)
        return 2
    ways = tuple(damage.WAYS) if options.damaged else (scoring.FULL,)
    asked = scoring.Asked(options.tap or scoring.TAPS, ways, options.vantage_told)
    scoring.show(scoring.score(found, asked), options.csv, per_tap=bool(options.tap))
    return 0


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--record", type=Path, metavar="DIR")
    what.add_argument("--truth", type=Path, metavar="DIR")
    what.add_argument("--keep", type=Path, metavar="DIR")
    what.add_argument("--score", type=Path, metavar="DIR")
    parser.add_argument("--held-out", action="store_true", help="the odd seeds instead")
    parser.add_argument("--only", default="", metavar="TEXT", help="runs with this in their name")
    parser.add_argument("--tap", action="append", choices=scoring.TAPS)
    parser.add_argument("--damaged", action="store_true", help="captures that hold only a part")
    parser.add_argument("--vantage-told", action="store_true", help="airmile is told the tap")
    parser.add_argument(
        "--csv", type=Path, metavar="PREFIX", help="also PREFIX-causes.csv and so on"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
