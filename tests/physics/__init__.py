"""Long transfers, silences and uploads with known truth: queues, timers, paths, bandwidth.

They are recorded over the testbed's link (root) and scored per cause: ``python -m tests.physics
--help``.
"""
