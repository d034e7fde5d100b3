"""Record long transfers with known truth, and score what airmile says about them.

::

    sudo python -m tests.physics --record DIR [--held-out] [--only TEXT] [--at-once 2]
    python -m tests.physics --truth DIR [--held-out]  # work the truth out again
    python -m tests.physics --keep DIR                # write tests/data/physics again
    python -m tests.physics --score DIR [--held-out] [--only TEXT] [--tap ue] [--csv PREFIX]
    python -m tests.physics --kept                    # the score of that selection

Odd seeds are held out: they are recorded and scored with ``--held-out`` alone.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from airmile.testbed.record.captures import POINTS
from tests.physics import kinds, scoring, selection
from tests.physics.record import write_truth
from tests.recorded import command
from tests.recorded.runs import Run


def main() -> int:
    """Parse the options and run the command."""
    parser, what = command.parser(__doc__)
    what.add_argument("--kept", action="store_true")
    parser.add_argument("--tap", default="monitor", choices=POINTS)
    options = parser.parse_args()
    if options.kept:
        scoring.show(scoring.score_kept(selection.KEPT), options.csv)
        return 0
    of = command.Set(
        kinds.runs, kinds.DEVELOPMENT, kinds.HELD_OUT, write_truth, selection.keep, _score
    )
    return command.run(of, options)


def _score(found: list[tuple[Run, Path]], options: argparse.Namespace) -> None:
    scoring.show(scoring.score(found, options.tap), options.csv)


if __name__ == "__main__":
    sys.exit(main())
