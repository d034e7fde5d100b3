"""The hosts of a run: network namespaces, kernel settings, processes and their rights."""
