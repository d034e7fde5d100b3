"""Everyday captures with known truth: requests, pages, small calls, uploads, zero windows.

They are recorded over the testbed's link (root) and scored per cause: ``python -m tests.everyday
--help``.
"""
