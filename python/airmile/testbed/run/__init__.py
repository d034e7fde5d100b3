"""Runs and campaigns: link, workload and captures are started, watched and ended."""
