"""Score what airmile says at the phone, at a monitor and at the server, of captures whole and cut.

::

    sudo python -m tests.taps --record DIR [--world NAME] [--held-out] [--only TEXT] [--at-once 2]
    python -m tests.taps --keep DIR      # write tests/data/taps again
    python -m tests.taps --score DIR [--held-out] [--only TEXT] [--tap ue] [--way whole]
                         [--at-once 2] [--csv PREFIX]

It records the runs of its own worlds (`kinds.py`, `short.py`, `emulated.py`), and scores those of
all worlds that are in the folder, or in the folders of this name in it: `everyday`, `physics`,
`taps`, `short`, `emu`. Odd seeds are held out: they are recorded and scored with ``--held-out``
alone.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from airmile.testbed.record.captures import POINTS
from tests.recorded import play
from tests.taps import emulated, kinds, runs, selection, short, tables
from tests.taps.ways import WAYS

_OWN = {"taps": kinds, "short": short, "emu": emulated}


def main() -> int:
    """Parse the options and run the command."""
    options = _parser().parse_args()
    if options.record:
        of = _OWN[options.world]
        seeds = of.HELD_OUT if options.held_out else of.DEVELOPMENT
        wanted = (each for seed in seeds for each in of.runs(seed) if options.only in each.name)
        return int(not play.record(wanted, options.record, at_once=options.at_once))
    if options.keep:
        selection.keep(options.keep)
        return 0
    found = runs.found(options.score, held_out=options.held_out, only=options.only)
    if not found:
        print(f"no run of these under {options.score}", file=sys.stderr)
        return 2
    taps, asked = options.tap or tuple(POINTS), options.way or tuple(WAYS)
    scored = list(runs.score(found, taps, asked, options.at_once))
    tables.show(scored, runs.lacking(found, taps), options.csv)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_mutually_exclusive_group(required=True)
    for name in ("--record", "--keep", "--score"):
        what.add_argument(name, type=Path, metavar="DIR")
    parser.add_argument("--world", choices=_OWN, default="taps", help="the world to record")
    parser.add_argument("--held-out", action="store_true", help="the odd seeds instead")
    parser.add_argument("--only", default="", metavar="TEXT", help="runs with this in their name")
    parser.add_argument("--at-once", type=int, default=1, help="runs at the same time")
    parser.add_argument("--tap", action="append", choices=POINTS)
    parser.add_argument("--way", action="append", choices=WAYS)
    parser.add_argument("--csv", type=Path, metavar="PREFIX", help="also PREFIX-shares.csv etc.")
    return parser


if __name__ == "__main__":
    sys.exit(main())
