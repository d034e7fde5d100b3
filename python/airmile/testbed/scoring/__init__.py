"""What airmile says against the truth: the cause per 100 ms, and the quantities beside it.

:mod:`cause <airmile.testbed.scoring.cause>` holds the rule by which slices are compared with
labels; each other module compares one quantity, by the pairs of :mod:`pairs
<airmile.testbed.scoring.pairs>`.
"""

from airmile.testbed.scoring.cause import Score
from airmile.testbed.scoring.pairs import Compared, Pair
from airmile.testbed.scoring.run import Scored, score_run

__all__ = ["Compared", "Pair", "Score", "Scored", "score_run"]
