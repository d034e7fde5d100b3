"""Answers of SQL: their values and shapes in every format."""
