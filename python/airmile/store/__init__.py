"""Datasets on disk: manifest, Parquet parts, queries, and missing tables or columns."""
