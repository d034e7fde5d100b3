"""Long transfers, silences and uploads with known truth: queues, timers, paths, bandwidth.

Recorded over the testbed's link (root), and scored per cause: ``python -m tests.physics --help``.
"""
