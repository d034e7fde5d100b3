"""Reports as text and in machine-readable forms, one module for each form."""
