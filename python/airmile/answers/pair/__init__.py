"""Two captures of the same traffic: the difference of their clocks, and the delays between them."""
