"""Captures that are not in the repository; ``AIRMILE_CORPUS`` names their folder."""
