"""Scores a verdict against the labels of an emulated set, by airmile.testbed.scoring."""
