"""What a dataset is on disk: manifest, parts, the queries over them, and what may be missing."""
