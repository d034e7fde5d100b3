"""What `make` runs: the whole check, the licences, the generated reference."""
