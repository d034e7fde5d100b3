"""Check mutated logs: ``python -m tests.radio.mutated --logs 3000``."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence

from tests.radio.mutated.cases import case
from tests.radio.mutated.check import checked


def main(arguments: Sequence[str] | None = None) -> int:
    """Check logs by their numbers, print each fault, and return 1 if there is one."""
    parser = argparse.ArgumentParser(prog="python -m tests.radio.mutated", description=__doc__)
    parser.add_argument("--logs", type=int, default=30, help="how many")
    parser.add_argument("--first", type=int, default=0, help="the number of the first")
    asked = parser.parse_args(arguments)
    kinds: Counter[str] = Counter()
    wrong = 0
    for seed in range(asked.first, asked.first + asked.logs):
        found = checked(seed)
        wrong += bool(found)
        kinds.update({fault.split(":")[0] for fault in found})
        if found:
            log, writer = case(seed)
            print(f"{seed} {writer.name} {', '.join(log.mutations)}: {'; '.join(found)}")
    verdict = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())) or "no fault"
    print(f"{asked.logs} mutated logs: {asked.logs - wrong} right, {wrong} wrong ({verdict})")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
