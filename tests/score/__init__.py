"""Scores of verdicts against the labels of emulated sets, by airmile.testbed.scoring."""
