"""Record a phone with IPv4, IPv6, 464XLAT and Wi-Fi with its RRC truth, and score the answers.

::

    sudo python -m tests.phones --record DIR [--seeds 8] [--exchanges 6] [--held-out]
    python -m tests.phones --score DIR [--held-out]

Seeds above 100 are held out: they are recorded and scored with ``--held-out`` alone.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.phones import record, scoring
from tests.phones.plan import EXCHANGES, plan

HELD_OUT = 100
"""Seeds above this number are held out."""


def main() -> int:
    """Parse the options and run the command."""
    options = _parser().parse_args()
    first = 1 + HELD_OUT * options.held_out
    plans = [plan(seed, options.exchanges) for seed in range(first, first + options.seeds)]
    if options.record:
        return int(not record.record(plans, options.record))
    found = [options.score / each.name for each in plans]
    found = [each for each in found if (each / "facts.json").exists()]
    if not found:
        print(f"no run of these under {options.score}", file=sys.stderr)
        return 2
    scoring.show(found)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    what = parser.add_mutually_exclusive_group(required=True)
    for name in ("--record", "--score"):
        what.add_argument(name, type=Path, metavar="DIR")
    parser.add_argument("--seeds", type=int, default=8, help="number of runs [8]")
    parser.add_argument(
        "--exchanges", type=int, default=EXCHANGES, help=f"in each capture [{EXCHANGES}]"
    )
    parser.add_argument("--held-out", action="store_true", help="the seeds above 100 instead")
    return parser


if __name__ == "__main__":
    sys.exit(main())
