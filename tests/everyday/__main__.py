"""Record everyday runs with known truth, and score what airmile says about them.

::

    sudo python -m tests.everyday --record DIR [--held-out] [--only TEXT] [--at-once 2]
    python -m tests.everyday --truth DIR             # work the truth out again
    python -m tests.everyday --keep DIR              # write tests/data/everyday again
    python -m tests.everyday --score DIR [--held-out] [--tap ue] [--damaged] [--csv PREFIX]

Odd seeds are held out: they are recorded and scored with ``--held-out`` alone. With ``--damaged``
it scores captures that hold only a part of each recording.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from airmile.testbed.record.captures import POINTS
from tests.everyday import damage, kinds, scoring, selection
from tests.everyday.record import write_truth
from tests.recorded import command
from tests.recorded.runs import Run


def main() -> int:
    """Parse the options and run the command."""
    parser, _ = command.parser(__doc__)
    parser.add_argument("--tap", action="append", choices=POINTS)
    parser.add_argument("--damaged", action="store_true", help="captures that hold only a part")
    parser.add_argument(
        "--vantage-given", action="store_true", help="give airmile the capture point"
    )
    of = command.Set(
        kinds.runs, kinds.DEVELOPMENT, kinds.HELD_OUT, write_truth, selection.keep, _score
    )
    return command.run(of, parser.parse_args())


def _score(found: list[tuple[Run, Path]], options: argparse.Namespace) -> None:
    ways = tuple(damage.WAYS) if options.damaged else (scoring.FULL,)
    asked = scoring.Asked(options.tap or tuple(POINTS), ways, options.vantage_given)
    scoring.show(scoring.score(found, asked), options.csv, per_tap=bool(options.tap))


if __name__ == "__main__":
    sys.exit(main())
