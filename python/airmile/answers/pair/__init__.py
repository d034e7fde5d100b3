"""Two captures of the same traffic: how their clocks differ, and what lies between their taps."""
