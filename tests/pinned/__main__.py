"""Compare the present scores with the recorded tables, or record them.

::

    python -m tests.pinned [--write] [TABLE]...
"""

from __future__ import annotations

import argparse
import sys

from tests.pinned.tables import TABLES


def main() -> int:
    """Print each line that differs; without ``--write``, return 1 if any line does."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", metavar="TABLE", help="all, if none is named")
    parser.add_argument("--write", action="store_true", help="record what is reached now")
    options = parser.parse_args()
    known = {table.name: table for table in TABLES}
    if unknown := sorted({*options.tables} - {*known}):
        parser.error(f"no table {', '.join(unknown)}; there are {', '.join(known)}")
    changed = False
    for table in (known[name] for name in options.tables or known):
        lines = table.lines()
        for difference in table.differences(lines):
            changed = True
            print(f"{table.name}: {difference}", flush=True)
        if options.write:
            table.write(lines)
    return int(changed and not options.write)


if __name__ == "__main__":
    sys.exit(main())
