"""Two captures of the same traffic: how their clocks differ, and the delays between them."""
