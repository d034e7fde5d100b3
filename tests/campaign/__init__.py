"""Campaigns: their orders, their runs, the rule, and the page."""
