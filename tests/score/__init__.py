"""Scores a verdict against the labels of an emulated set, by airmile.testbed.scoring."""

from tests.score.score import Score, fits, score, score_set

__all__ = ["Score", "fits", "score", "score_set"]
