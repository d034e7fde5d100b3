"""What airmile says against the truth: the cause per 100 ms, and the quantities beside it.

:mod:`cause <airmile.testbed.scoring.cause>` holds the rule by which slices are compared with
labels; each other module compares one quantity, by the pairs of :mod:`pairs
<airmile.testbed.scoring.pairs>`.
"""

from airmile.testbed.scoring.cause import (
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
from airmile.testbed.scoring.pairs import Compared, Pair
from airmile.testbed.scoring.run import QUANTITIES, Scored, score_run

__all__ = [
    "NO_SLICE",
    "QUANTITIES",
    "Bin",
    "Compared",
    "Pair",
    "Score",
    "Scored",
    "Slice",
    "cause_of",
    "fits",
    "read_labels",
    "score",
    "score_run",
    "score_set",
]
