"""What a run records, and the dataset that it leaves."""
