"""How fast: what `make bench` runs. Nothing here is a test, for time is not a definition."""
