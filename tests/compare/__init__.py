"""How well the statistics of methods I3 hold: against other programs, and over made samples."""
