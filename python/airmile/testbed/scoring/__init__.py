"""Scores what airmile says about a run against its truth: the cause per 100 ms, and quantities.

:mod:`cause <airmile.testbed.scoring.cause>` holds the rule by which slices are compared with
labels; every other module compares one quantity, as pairs of :mod:`pairs
<airmile.testbed.scoring.pairs>`.
"""

from airmile.testbed.scoring.cause import Score
from airmile.testbed.scoring.pairs import Compared, Pair
from airmile.testbed.scoring.run import Scored, score_run

__all__ = ["Compared", "Pair", "Score", "Scored", "score_run"]
