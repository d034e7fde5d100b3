"""A verdict in words and in machine-readable forms: one file for each form."""
