"""The tools that `make` runs: all checks, the licences, the generated reference."""
