"""Captures that cover parts of the time, and which captures are the same traffic."""
