"""Measurements of speed and memory, which `make bench` runs; none of them is a test."""
