"""Runs and campaigns: they start, watch and end the link, the workloads and the captures."""
