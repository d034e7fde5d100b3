"""Answers from the tables of datasets: verdict, modem log, and two captures of one transfer."""
