"""The hosts of a run: namespaces, kernel settings, processes, rights, and their removal."""
