"""Answers from the tables of datasets: the verdict, a modem's log, two captures of one transfer."""
