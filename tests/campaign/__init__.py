"""Campaigns: the order of their trials, their runs, the rule, and the page."""
