"""Models of transport protocols in plain numbers, without numpy."""
