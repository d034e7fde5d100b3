"""What airmile says of the same seconds at the phone, at a monitor and at the server.

The runs of several worlds (`tests.everyday`, `tests.physics`, and those of its own) are scored at
each tap, each capture whole and cut: ``python -m tests.taps --help``.
"""
