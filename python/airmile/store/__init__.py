"""Datasets on disk: manifest, Parquet parts, queries, and what to do without a table or column."""
