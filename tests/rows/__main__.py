"""Keep what airmile says of captures and logs, and compare it with what another version said.

::

    python -m tests.rows keep FOLDER CAPTURE|LOG|DIRECTORY...
    python -m tests.rows compare BEFORE AFTER
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.rows.compare import differences
from tests.rows.keep import keep


def main() -> int:
    """Keep, or print each difference; return 1 if there is any."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    keeps = verbs.add_parser("keep", help="analyse inputs and keep tables, JSON and text")
    keeps.add_argument("folder", type=Path)
    keeps.add_argument("inputs", nargs="+", type=Path)
    compares = verbs.add_parser("compare", help="print what differs between two such folders")
    compares.add_argument("before", type=Path)
    compares.add_argument("after", type=Path)
    options = parser.parse_args()
    if options.verb == "keep":
        print(f"{keep(options.folder, options.inputs)} inputs kept in {options.folder}")
        return 0
    found = 0
    for line in differences(options.before, options.after):
        found += 1
        print(line, flush=True)
    print(f"{found} differences")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
