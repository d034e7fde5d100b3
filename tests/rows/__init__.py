"""Rows and verdicts of many captures before and after a change of the code."""
