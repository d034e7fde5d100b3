"""Mechanisms by name, by rows and by scripts."""
