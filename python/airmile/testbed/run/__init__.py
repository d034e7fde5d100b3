"""One run and many: link, workload and captures begun, watched and ended."""
