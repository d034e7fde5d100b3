"""Common parts of the sets of recorded runs: recording, tallies, tables and selections."""
