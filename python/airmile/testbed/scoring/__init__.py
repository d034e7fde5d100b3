"""Scores what airmile reports about a run against the run's truth.

:mod:`cause <airmile.testbed.scoring.cause>` compares the causes with the labels of each 100 ms.
Every other module compares one quantity and returns :mod:`pairs <airmile.testbed.scoring.pairs>` of
the reported and the true value.
"""

from airmile.testbed.scoring.cause import Score
from airmile.testbed.scoring.pairs import Compared, Pair
from airmile.testbed.scoring.run import Scored, score_run

__all__ = ["Compared", "Pair", "Score", "Scored", "score_run"]
