"""Record ordinary programs with known truth, and score what airmile says about them.

::

    sudo python -m tests.programs --record DIR [--held-out] [--only TEXT] [--at-once 2]
    python -m tests.programs --truth DIR             # work the truth out again
    python -m tests.programs --score DIR [--held-out] [--only TEXT] [--tap ue]

The programs need strace; those of some kinds need more, which their modules name. Odd seeds are
held out: they are recorded and scored with ``--held-out`` alone.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from airmile.testbed.record.captures import POINTS
from tests.programs import record, scoring, show, truth
from tests.programs.kinds import DEVELOPMENT, HELD_OUT, cases


def main() -> int:
    """Parse the options and run the command."""
    options = _parser().parse_args()
    seeds = HELD_OUT if options.held_out else DEVELOPMENT
    every = [each for seed in seeds for each in cases(seed) if options.only in each.run.name]
    if options.record:
        return int(not record.record(every, options.record, options.at_once))
    folder = options.truth or options.score
    found = [(each, folder / each.run.name) for each in every]
    found = [(each, own) for each, own in found if (own / "manifest.json").exists()]
    if not found:
        print(f"no run of these under {folder}", file=sys.stderr)
        return 2
    if options.truth:
        for each, own in found:
            truth.write(own, each.traits)
        return 0
    show.show(scoring.score(found, options.tap or tuple(POINTS)))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    what = parser.add_mutually_exclusive_group(required=True)
    for name in ("--record", "--truth", "--score"):
        what.add_argument(name, type=Path, metavar="DIR")
    parser.add_argument("--held-out", action="store_true", help="the odd seeds instead")
    parser.add_argument("--only", default="", metavar="TEXT", help="runs with this in their name")
    parser.add_argument("--at-once", type=int, default=1, help="runs recorded at the same time")
    parser.add_argument("--tap", action="append", choices=POINTS)
    return parser


if __name__ == "__main__":
    sys.exit(main())
