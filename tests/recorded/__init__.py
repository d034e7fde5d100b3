"""What the sets of recorded runs with known truth share: recording, tallies, tables, selections."""
