"""The tests and their common helpers."""
