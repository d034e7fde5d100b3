"""Scores one set from the shell, by the rule of :mod:`airmile.testbed.scoring`.

::

    python tests/score/score.py SLICES.csv LABELS.csv.gz [FIRST_NS LAST_NS]

``SLICES`` is a CSV file or a directory of Parquet parts; ``LABELS`` a file or the directory of its
set.
"""

from __future__ import annotations

import sys
from pathlib import Path

from airmile.testbed.scoring import (
    NO_SLICE,
    Bin,
    Score,
    Slice,
    cause_of,
    fits,
    read_labels,
    score,
    score_set,
)

__all__ = [
    "NO_SLICE",
    "Bin",
    "Score",
    "Slice",
    "cause_of",
    "fits",
    "main",
    "read_labels",
    "score",
    "score_set",
]


def main(arguments: list[str]) -> int:
    """Print the score of one set."""
    if len(arguments) not in (2, 4):
        print(__doc__, file=sys.stderr)
        return 2
    slices, labels, *span = arguments
    first, last = (int(text) for text in span) if span else (None, None)
    print(score_set(Path(slices), Path(labels), first, last))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
