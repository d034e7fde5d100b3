"""Golden cases: a capture, a query, and the rows that must come out."""
